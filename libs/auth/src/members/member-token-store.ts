import type { MemberToken, MemberTokenKind } from './member-token.ts';

/** Port of tokens. A change is durable when its promise resolves, and the next read of every process sees it. */
export interface MemberTokenStore {
  /** Inserts a token, or replaces the token of the same id. */
  put(token: MemberToken): Promise<void>;
  get(id: string): Promise<MemberToken | undefined>;
  /** Removes and returns a token. Concurrent calls of several processes return it once. */
  take(id: string): Promise<MemberToken | undefined>;
  /** Returns the tokens of one kind and subject in byte order of their ids. */
  of(kind: MemberTokenKind, subject: string): Promise<readonly MemberToken[]>;
  /** Removes the tokens of one kind and subject. */
  removeOf(kind: MemberTokenKind, subject: string): Promise<void>;
  /** Removes tokens whose `expiresAt` is not after `now`. */
  removeExpired(now: number): Promise<void>;
}
