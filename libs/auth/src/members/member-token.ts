import { createHash, randomBytes } from 'node:crypto';
import type { AccountRole } from './member.ts';

/** Purpose of a token. A token of one purpose is refused for every other. */
export type MemberTokenKind = 'password-reset' | 'email-verification' | 'invitation' | 'api' | 'identity' | 'passkey';

/**
 * Record that is found by a hash: of a random text, with which the owner of a mailbox proves access or a program acts for a
 * member; of an identity of an OpenID provider; or of the challenge of a passkey.
 */
export interface MemberToken {
  /** SHA-256 of the token in hexadecimal. The store has no token that could be used. */
  readonly id: string;
  readonly kind: MemberTokenKind;
  /** Id of the member; id of the account for an invitation. */
  readonly subject: string;
  /** Address to which the token was sent; of the member for an API token. */
  readonly email: string;
  /** Role of the invited member. */
  readonly role?: AccountRole;
  /** Name of an API token; issuer of an identity. */
  readonly name?: string;
  /** True for an API token that only reads. */
  readonly isReadOnly?: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Creates a token of 256 random bits. The text is returned only here. */
export function newMemberToken(
  token: Omit<MemberToken, 'id'>,
  prefix = '',
): {
  readonly text: string;
  readonly record: MemberToken;
} {
  const text = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { text, record: { id: memberTokenId(text), ...token } };
}

export function memberTokenId(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
