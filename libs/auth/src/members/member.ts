import { randomUUID } from 'node:crypto';

/** Person who signs in to manage an account. An `operator` manages all accounts. */
export interface Member {
  readonly id: string;
  /** In lower case; unique among members. */
  readonly email: string;
  readonly accountId: string;
  readonly role: MemberRole;
  /** argon2id hash as a PHC string. Empty for a member without a password. */
  readonly passwordHash: string;
  /** Time at which the member proved to read the mailbox, in milliseconds since 1970. Absent before. */
  readonly emailVerifiedAt?: number | undefined;
  /** Passkeys. Absent before the first. */
  readonly passkeys?: readonly Passkey[] | undefined;
  /** Absent until a second factor is set up. */
  readonly totp?: TotpState | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Roles within an account. The first member of an account is its owner. */
export const accountRoles = ['owner', 'developer', 'billing', 'read-only'] as const;
export type AccountRole = (typeof accountRoles)[number];
export type MemberRole = AccountRole | 'operator';

/** Reads a stored member. Earlier versions stored the role `member`, which had the rights of an owner. */
export function memberFromRecord(record: Omit<Member, 'role'> & { readonly role: MemberRole | 'member' }): Member {
  return { ...record, role: record.role === 'member' ? 'owner' : record.role };
}

/** Public key credential of a member (WebAuthn). */
export interface Passkey {
  /** Credential id in base64url. */
  readonly id: string;
  /** COSE public key in base64url. */
  readonly publicKey: string;
  /** Signature counter; 0 in authenticators that do not count. */
  readonly counter: number;
  /** Ways to reach the authenticator, as the browser named them. */
  readonly transports?: readonly string[];
  /** Name given by the member. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. Absent before the first use. */
  readonly usedAt?: number | undefined;
}

/** State of a second factor (RFC 6238). */
export interface TotpState {
  /** Sealed by a {@link SecretBox}; base32 in a store without a key. Codes are computed from it, so a hash does not suffice. */
  readonly secret: string;
  /** False until the member has entered one correct code. Sign-in requires a code only after that. */
  readonly isConfirmed: boolean;
  /** Counter of the last accepted code, so that no code is accepted twice. */
  readonly lastCounter: number;
}

/** Sign-in session of a member. */
export interface Session {
  /** SHA-256 of its token in hexadecimal. The store has no token that could be used. */
  readonly id: string;
  readonly memberId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Last recorded use, at most an hour before the last request. Milliseconds since 1970. Absent in earlier versions. */
  readonly usedAt?: number;
  /** Browser at sign-in. Absent in earlier versions. */
  readonly client?: SessionClient;
  /** Account that an operator views in this session instead of the own one. */
  readonly view?: AccountView;
}

/** Origin of a session. */
export interface SessionClient {
  /** IP address. */
  readonly address?: string | undefined;
  /** `User-Agent` of the browser. */
  readonly agent?: string | undefined;
}

/** View of an operator into an account. It only reads. */
export interface AccountView {
  readonly accountId: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** Creates a member with a new id. It is not stored yet. */
export function newMember(member: Omit<Member, 'id'>): Member {
  return { id: `mem_${randomUUID().replaceAll('-', '')}`, ...member };
}
