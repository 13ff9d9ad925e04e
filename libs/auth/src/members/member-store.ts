import type { AuditEntry } from '../audit.ts';
import type { Member, Session } from './member.ts';

/** The port to members and their sessions. Changes are durable when they resolve, with their entry in the audit log. */
export interface MemberStore {
  /** @throws MEMBER_EXISTS when another member has the e-mail address */
  insert(member: Member, entry: AuditEntry): Promise<void>;
  member(id: string): Promise<Member | undefined>;
  byEmail(email: string): Promise<Member | undefined>;
  /** In order of their ids. */
  list(): AsyncIterable<Member>;
  /** @throws MEMBER_NOT_FOUND, and what `change` throws. Without an entry where nothing is changed that anybody asks about. */
  update(id: string, change: (member: Member) => Member, entry?: AuditEntry): Promise<Member>;
  /**
   * Replaces the secrets of second factors by the result of `change`, all or none; resolves with how many changed.
   * @throws what `change` throws
   */
  changeSecrets(change: (secret: string, memberId: string) => string): Promise<number>;
  putSession(session: Session): Promise<void>;
  session(id: string): Promise<Session | undefined>;
  removeSession(id: string): Promise<void>;
  /** Ends all sessions of a member. */
  removeSessions(memberId: string): Promise<void>;
  /** Forgets sessions that ended before a time. */
  sweep(now: number): Promise<void>;
}
