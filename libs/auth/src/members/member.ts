import { randomUUID } from 'node:crypto';

/** Somebody who signs in to look after an account; `operator`s look after all of them. */
export interface Member {
  readonly id: string;
  /** In lower case; unique among members. */
  readonly email: string;
  readonly accountId: string;
  readonly role: MemberRole;
  /** argon2id, as a PHC string. */
  readonly passwordHash: string;
  /** Absent until a second factor is set up. */
  readonly totp?: TotpState | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export type MemberRole = 'member' | 'operator';

/** A second factor (RFC 6238). */
export interface TotpState {
  /** Sealed by a {@link SecretBox}; base32 in a store without a key. Codes are computed from it, so no hash can stand for it. */
  readonly secret: string;
  /** False until a code of it was entered once; it is not asked for before. */
  readonly isConfirmed: boolean;
  /** Counter of the last code that was taken: no code is taken twice. */
  readonly lastCounter: number;
}

/** Somebody who is signed in. */
export interface Session {
  /** SHA-256 of its token, in hexadecimal: what is kept opens nothing. */
  readonly id: string;
  readonly memberId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A member who is not stored yet. */
export function newMember(member: Omit<Member, 'id'>): Member {
  return { id: `mem_${randomUUID().replaceAll('-', '')}`, ...member };
}
