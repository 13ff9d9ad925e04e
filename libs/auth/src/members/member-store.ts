import type { AuditEntry } from '../audit.ts';
import type { Member, Session } from './member.ts';
import type { MemberTokenStore } from './member-token-store.ts';

/** Change of the members of one account, with what its audit entry records about it. */
export type MemberChange = ({ readonly put: Member } | { readonly remove: Member }) &
  Pick<AuditEntry, 'change' | 'before'>;

/**
 * Port of members and their sessions. A change and its audit entry are durable when the promise resolves, and the next read
 * of every process sees them. A `change` function may be called again after a conflict of transactions, so it has no side
 * effects.
 */
export interface MemberStore {
  /** Tokens that prove access to a mailbox. */
  readonly tokens: MemberTokenStore;
  /** @throws MEMBER_EXISTS if another member has the e-mail address */
  insert(member: Member, entry: AuditEntry): Promise<void>;
  member(id: string): Promise<Member | undefined>;
  byEmail(email: string): Promise<Member | undefined>;
  /** Yields all members in byte order of their ids. */
  list(): AsyncIterable<Member>;
  /**
   * Replaces a member by the result of `change`. Logs the entry for the account of the member, if one is given.
   * @throws MEMBER_NOT_FOUND, and what `change` throws: nothing is changed then
   */
  update(id: string, change: (member: Member) => Member, entry?: AuditEntry): Promise<Member>;
  /** Returns the members of an account in byte order of their ids. */
  ofAccount(accountId: string): Promise<readonly Member[]>;
  /**
   * Replaces or removes one member by the result of `change`, which sees all members of the account. Concurrent changes of
   * one account follow each other. The sessions of a removed member end.
   * @throws what `change` throws: nothing is changed then
   */
  changeOfAccount(
    accountId: string,
    change: (members: readonly Member[]) => MemberChange,
    entry: AuditEntry,
  ): Promise<void>;
  /**
   * Replaces the secrets of all second factors by the result of `change`, in one transaction.
   * @returns the number of secrets that changed
   * @throws what `change` throws: nothing is changed then
   */
  changeSecrets(change: (secret: string, memberId: string) => string): Promise<number>;
  /** Inserts a session, or replaces the session of the same id. */
  putSession(session: Session): Promise<void>;
  session(id: string): Promise<Session | undefined>;
  /** Returns the sessions of a member in byte order of their ids. */
  sessionsOf(memberId: string): Promise<readonly Session[]>;
  /** Replaces a session by the result of `change`. A session that has been removed stays removed. */
  updateSession(id: string, change: (session: Session) => Session): Promise<void>;
  /** Removes a session. An unknown id has no effect. */
  removeSession(id: string): Promise<void>;
  /** Removes all sessions of a member. */
  removeSessions(memberId: string): Promise<void>;
  /** Removes sessions whose `expiresAt` is not after `now`. */
  removeExpiredSessions(now: number): Promise<void>;
}

/** Returns what the audit entry of a change records about it. */
export function auditOf({ change, before }: MemberChange): Pick<AuditEntry, 'change' | 'before'> {
  return { ...(change && { change }), ...(before && { before }) };
}
