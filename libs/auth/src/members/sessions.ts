import { createHash, randomBytes } from 'node:crypto';
import { AuthError } from '../errors.ts';
import type { Member, Session, SessionClient } from './member.ts';
import type { MemberStore } from './member-store.ts';

const hourMs = 3_600_000;
/** A session ends after this time without use, in milliseconds. */
export const sessionIdleMs = 12 * hourMs;
/** A session ends after this time even if it is used, in milliseconds. */
export const sessionMsMax = 7 * 24 * hourMs;
/** Use of a session is recorded at most this often, in milliseconds, not for each request. */
const recordedMs = hourMs;
/** Characters of the `User-Agent` that are kept. */
const agentMax = 256;

/** Sign-in sessions of members. */
export class Sessions {
  readonly #store: MemberStore;
  readonly #now: () => number;

  constructor({ store, now }: { readonly store: MemberStore; readonly now: () => number }) {
    this.#store = store;
    this.#now = now;
  }

  /** Starts a session. The token is returned only here and belongs in an HttpOnly cookie. */
  async open(
    { id: memberId }: Member,
    client: SessionClient,
  ): Promise<{ readonly token: string; readonly session: Session }> {
    const token = randomBytes(32).toString('base64url');
    const now = this.#now();
    await this.#store.removeExpiredSessions(now);
    const times = { createdAt: now, usedAt: now, expiresAt: now + sessionIdleMs };
    const { address, agent } = client;
    const kept = {
      ...(address !== undefined && { address }),
      ...(agent !== undefined && { agent: agent.slice(0, agentMax) }),
    };
    const session = { id: sessionIdOf(token), memberId, ...times, client: kept };
    await this.#store.putSession(session);
    return { token, session };
  }

  /** Returns the session of a token with its member, and extends it. @throws SESSION_INVALID */
  async use(token: string): Promise<{ readonly session: Session; readonly member: Member }> {
    const now = this.#now();
    const session = await this.#store.session(sessionIdOf(token));
    const member = session && (await this.#store.member(session.memberId));
    if (session === undefined || member === undefined || !isOpen(session, now))
      throw new AuthError('SESSION_INVALID', 'You are not signed in, or have been signed out.', { hint: 'Sign in.' });
    const expiresAt = Math.min(now + sessionIdleMs, session.createdAt + sessionMsMax);
    if (expiresAt - session.expiresAt > recordedMs)
      await this.#store.updateSession(session.id, (before) => ({ ...before, expiresAt, usedAt: now }));
    return { session, member };
  }

  /** Returns the open sessions of a member, the most recently used first. */
  async list(memberId: string): Promise<readonly Session[]> {
    const now = this.#now();
    const open = (await this.#store.sessionsOf(memberId)).filter((session) => isOpen(session, now));
    return open.sort((one, other) => usedAt(other) - usedAt(one));
  }

  /** Ends one session of a member. @throws SESSION_NOT_FOUND, also for a session of another member */
  async end(memberId: string, id: string): Promise<void> {
    const session = await this.#store.session(id);
    if (session?.memberId !== memberId)
      throw new AuthError('SESSION_NOT_FOUND', 'You have no session of this id.', { hint: 'It may have ended.' });
    await this.#store.removeSession(id);
  }

  /** Ends all sessions of a member but one. */
  async endOthers({ id: kept, memberId }: Session): Promise<void> {
    for (const { id } of await this.#store.sessionsOf(memberId)) if (id !== kept) await this.#store.removeSession(id);
  }

  /** Ends the session of a token. An unknown token has no effect. */
  async close(token: string): Promise<void> {
    await this.#store.removeSession(sessionIdOf(token));
  }
}

/** A session created while the clock was ahead is refused: it would last too long. */
function isOpen({ createdAt, expiresAt }: Session, now: number): boolean {
  return expiresAt > now && createdAt <= now + hourMs;
}

function usedAt({ createdAt, usedAt: used = createdAt }: Session): number {
  return used;
}

function sessionIdOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
