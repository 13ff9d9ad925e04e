import type { Actor } from '../audit.ts';
import { tokenInvalid } from '../errors.ts';
import type { Member } from './member.ts';
import type { MemberStore } from './member-store.ts';
import { type MemberToken, memberTokenId, newMemberToken } from './member-token.ts';
import type { Members } from './members.ts';
import { checkPassword } from './password.ts';

const hourMs = 3_600_000;
/** A link to set a new password works for this time, in milliseconds. */
export const passwordResetMs = hourMs;
/** A link to verify an e-mail address works for this time, in milliseconds. */
export const emailVerificationMs = 72 * hourMs;

const lifetimes = {
  'password-reset': passwordResetMs,
  'email-verification': emailVerificationMs,
} as const;
type ProofKind = keyof typeof lifetimes;

/** Text to send to a mailbox, and the member who owns it. */
export interface SentProof {
  readonly member: Member;
  readonly token: string;
}

/**
 * Password reset and e-mail verification: a token is sent to the mailbox of a member, and its return proves that the member
 * reads the mailbox. A token works once, until its expiry; a newer token of the same purpose replaces it.
 */
export class MailboxProofs {
  readonly #members: Members;
  readonly #store: MemberStore;
  readonly #now: () => number;

  constructor({
    members,
    store,
    now = Date.now,
  }: {
    readonly members: Members;
    readonly store: MemberStore;
    /** Current time in milliseconds since 1970. Default: `Date.now`. */
    readonly now?: () => number;
  }) {
    this.#members = members;
    this.#store = store;
    this.#now = now;
  }

  /** Returns a token for a new password, or undefined for an unknown address. The caller must not reveal which. */
  async beginPasswordReset(email: string): Promise<SentProof | undefined> {
    const member = await this.#store.byEmail(email.trim().toLowerCase().slice(0, 256));
    return member && { member, token: await this.#issue('password-reset', member) };
  }

  /**
   * Sets a new password, ends all sessions, API tokens and passkeys of the member, and verifies the address. A second factor
   * stays.
   * @throws TOKEN_INVALID, PASSWORD_WEAK: the token still works after a weak password
   */
  async resetPassword(token: string, password: string, from: string): Promise<Member> {
    const { member } = await this.#peek('password-reset', token);
    checkPassword(password, member.email);
    await this.#take('password-reset', token);
    await this.#members.setPassword(member, password, { who: member.email, from });
    await this.#store.tokens.removeOf('api', member.id);
    if (member.passkeys) await this.#store.update(member.id, (before) => ({ ...before, passkeys: undefined }));
    return await this.#setVerified(member, { who: member.email, from });
  }

  /** Returns a token that verifies the address of the member. */
  async beginEmailVerification(member: Member): Promise<SentProof> {
    return { member, token: await this.#issue('email-verification', member) };
  }

  /** Records that the member reads the mailbox. @throws TOKEN_INVALID */
  async verifyEmail(token: string, from: string): Promise<Member> {
    const { member } = await this.#peek('email-verification', token);
    await this.#take('email-verification', token);
    return await this.#setVerified(member, { who: member.email, from });
  }

  async #issue(kind: ProofKind, { id: subject, email }: Member): Promise<string> {
    const now = this.#now();
    const { text, record } = newMemberToken({ kind, subject, email, createdAt: now, expiresAt: now + lifetimes[kind] });
    const { tokens } = this.#store;
    await tokens.removeExpired(now);
    await tokens.removeOf(kind, subject);
    await tokens.put(record);
    return text;
  }

  async #peek(kind: ProofKind, text: string): Promise<{ readonly token: MemberToken; readonly member: Member }> {
    const token = await this.#store.tokens.get(memberTokenId(text));
    if (!this.#isUsable(token, kind)) throw tokenInvalid();
    const member = await this.#store.member(token.subject);
    // The token proves access to the address it was sent to, not to a later one.
    if (member === undefined || member.email !== token.email) throw tokenInvalid();
    return { token, member };
  }

  async #take(kind: ProofKind, text: string): Promise<void> {
    if (!this.#isUsable(await this.#store.tokens.take(memberTokenId(text)), kind)) throw tokenInvalid();
  }

  #isUsable(token: MemberToken | undefined, kind: ProofKind): token is MemberToken {
    const now = this.#now();
    // Refuses a token created while the clock was ahead: it would last too long.
    return token?.kind === kind && token.expiresAt > now && token.expiresAt <= now + lifetimes[kind] + hourMs;
  }

  async #setVerified({ id, accountId, emailVerifiedAt }: Member, actor: Actor): Promise<Member> {
    const at = this.#now();
    const change = (member: Member): Member => ({ ...member, emailVerifiedAt: member.emailVerifiedAt ?? at });
    const entry = { at, actor, action: 'member.email.verify', accountId };
    return await this.#store.update(id, change, emailVerifiedAt === undefined ? entry : undefined);
  }
}
