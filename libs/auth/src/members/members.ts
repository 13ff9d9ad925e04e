import type { Account } from '../account.ts';
import type { Actor } from '../audit.ts';
import type { Auth } from '../auth.ts';
import { requirePattern } from '../checks.ts';
import { AuthError, accountSuspended, memberExists, memberNotFound } from '../errors.ts';
import { isSealed, keyMissing, type SecretBox, sealedBy } from '../secrets/secret-box.ts';
import { type Member, type MemberRole, newMember, type Session, type SessionClient } from './member.ts';
import type { MemberStore } from './member-store.ts';
import { checkPassword, hashPassword, passwordMatches } from './password.ts';
import { Sessions } from './sessions.ts';
import { localSignInAttempts, type SignInAttempts } from './sign-in-attempts.ts';
import { acceptCode, createTotp, totpPlace } from './totp.ts';

export interface MembersOptions {
  readonly auth: Auth;
  readonly store: MemberStore;
  /** Seals second factors. Default: they are stored unencrypted. */
  readonly secrets?: SecretBox;
  /** Counts attempts at passwords and codes. Default: counters of this process. */
  readonly attempts?: SignInAttempts;
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Signed-in member with its account. */
export interface SignedIn {
  readonly member: Member;
  /** Account of the member, or the account that an operator views. */
  readonly account: Account;
  readonly session: Session;
  /** End of the view of an operator into another account, in milliseconds since 1970. Absent in the own account. */
  readonly viewEndsAt?: number | undefined;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Code of the second factor, if the member has one. */
  readonly code?: string | undefined;
}

/** Members: sign-up, sign-in, passwords, second factors. */
export class Members {
  readonly sessions: Sessions;
  readonly #auth: Auth;
  readonly #store: MemberStore;
  readonly #now: () => number;
  readonly #attempts: SignInAttempts;
  readonly #secrets: SecretBox | undefined;

  constructor({ auth, store, secrets, attempts = localSignInAttempts(), now = Date.now }: MembersOptions) {
    this.#auth = auth;
    this.#store = store;
    this.#attempts = attempts;
    this.#secrets = secrets;
    this.#now = now;
    this.sessions = new Sessions({ store, now });
  }

  /** Creates an account and its first member in one transaction. @throws MEMBER_EXISTS, ACCOUNT_EXISTS, VALUE_INVALID, PASSWORD_WEAK */
  async signUp({
    email,
    password,
    accountName,
    plan,
    actor,
  }: {
    readonly email: string;
    readonly password: string;
    readonly accountName: string;
    readonly plan?: string;
    readonly actor: Actor;
  }): Promise<{ readonly member: Member; readonly account: Account }> {
    const address = parseEmail(email);
    checkPassword(password, address);
    if (await this.#store.byEmail(address)) throw memberExists();
    const passwordHash = await hashPassword(password);
    const by = this.#auth.as({ ...actor, who: address });
    const account = await by.createAccount({
      name: accountName,
      email: address,
      ...(plan !== undefined && { plan }),
      owner: { email: address, passwordHash },
    });
    const member = await this.#store.byEmail(address);
    if (member === undefined) throw memberNotFound();
    return { member, account };
  }

  /** Adds a member to an account. @throws ACCOUNT_NOT_FOUND, MEMBER_EXISTS, VALUE_INVALID, PASSWORD_WEAK */
  async add(
    idOrName: string,
    {
      email,
      password,
      role = 'owner',
      actor,
    }: { readonly email: string; readonly password: string; readonly role?: MemberRole; readonly actor: Actor },
  ): Promise<Member> {
    const address = parseEmail(email);
    checkPassword(password, address);
    const { id: accountId } = await this.#auth.account(idOrName);
    const passwordHash = await hashPassword(password);
    const member = newMember({ email: address, passwordHash, accountId, role, createdAt: this.#now() });
    const change = { email: address, role };
    await this.#store.insert(member, { at: this.#now(), actor, action: 'member.create', accountId, change });
    return member;
  }

  /** Yields all members in byte order of their ids. */
  list(): AsyncIterable<Member> {
    return this.#store.list();
  }

  /** Finds a member by e-mail address, without regard to case. @throws MEMBER_NOT_FOUND */
  async byEmail(email: string): Promise<Member> {
    const member = await this.#store.byEmail(email.trim().toLowerCase());
    if (member === undefined) throw memberNotFound();
    return member;
  }

  /**
   * Signs a member in. The token is returned only here and belongs in an HttpOnly cookie.
   * @throws SIGN_IN_FAILED, the same for an unknown address and a wrong password; TOTP_REQUIRED, TOTP_INVALID,
   * ATTEMPTS_PAUSED
   */
  async signIn(
    { email, password, code }: Credentials,
    client: SessionClient,
  ): Promise<SignedIn & { readonly token: string }> {
    const address = email.trim().toLowerCase().slice(0, 256);
    const attempt = await this.#attempts.reserve(address, client.address);
    const member = await this.#store.byEmail(address);
    if (!(await passwordMatches(member?.passwordHash, password.slice(0, 1024))) || member === undefined)
      throw new AuthError('SIGN_IN_FAILED', 'E-mail address or password is not right.', { hint: 'Check both.' });
    if (member.totp?.isConfirmed) {
      // A correct password without a code does not count as a failure: the page asks for the code next.
      if (!code) await attempt.withdrawn();
      await this.#requireCode(member, code);
    }
    await attempt.succeeded();
    return await this.enter(member, client);
  }

  /** Starts a session of a member whom the caller has authenticated. */
  async enter(member: Member, client: SessionClient): Promise<SignedIn & { readonly token: string }> {
    const account = await this.#auth.account(member.accountId);
    return { ...(await this.sessions.open(member, client)), member, account };
  }

  /** @throws TOTP_REQUIRED, TOTP_INVALID */
  async #requireCode({ id }: Member, code: string | undefined): Promise<void> {
    if (code === undefined || code === '')
      throw new AuthError('TOTP_REQUIRED', 'A code of the second factor is required.', {
        hint: 'Enter the six digits.',
      });
    await this.#acceptCode(id, code);
  }

  /** Accepts a code and counts wrong ones, since six digits can be guessed. @throws TOTP_INVALID, ATTEMPTS_PAUSED */
  async #acceptCodeOrCount({ id, email }: Member, code: string, address: string | undefined): Promise<void> {
    const attempt = await this.#attempts.reserve(email, address);
    await this.#acceptCode(id, code);
    await attempt.withdrawn();
  }

  /** Accepts a code once. @throws TOTP_INVALID, SECRETS_KEY_UNUSABLE */
  async #acceptCode(memberId: string, code: string, isConfirming = false): Promise<Member> {
    const change = (member: Member): Member => {
      const { totp } = member;
      const counter =
        totp && acceptCode({ ...totp, secret: this.#openSecret(member.id, totp.secret) }, code, this.#now());
      if (totp === undefined || counter === undefined)
        throw new AuthError('TOTP_INVALID', 'The code of the second factor is not right, or was used before.', {
          hint: 'Wait for the next code and enter that.',
        });
      return { ...member, totp: { ...totp, lastCounter: counter, isConfirmed: isConfirming || totp.isConfirmed } };
    };
    return await this.#store.update(memberId, change);
  }

  /** Returns the member and the account of a session, and extends the session. @throws SESSION_INVALID, ACCOUNT_SUSPENDED */
  async session(token: string): Promise<SignedIn> {
    const { session, member } = await this.sessions.use(token);
    const { view } = session;
    if (view !== undefined && member.role === 'operator' && view.endsAt > this.#now())
      return { member, account: await this.#auth.account(view.accountId), session, viewEndsAt: view.endsAt };
    const account = await this.#auth.account(member.accountId);
    if (account.status === 'suspended' && member.role !== 'operator') throw accountSuspended();
    return { member, account, session };
  }

  /** Ends a session. An unknown token has no effect. */
  async signOut(token: string): Promise<void> {
    await this.sessions.close(token);
  }

  /** Changes a password and ends all sessions of the member. @throws SIGN_IN_FAILED, PASSWORD_WEAK, ATTEMPTS_PAUSED */
  async changePassword(
    { member }: SignedIn,
    { before, after, actor }: { readonly before: string; readonly after: string; readonly actor: Actor },
  ): Promise<void> {
    const attempt = await this.#attempts.reserve(member.email, actor.from);
    if (!(await passwordMatches(member.passwordHash, before)))
      throw new AuthError('SIGN_IN_FAILED', 'The current password is not right.', { hint: 'Check it and try again.' });
    await attempt.withdrawn();
    await this.setPassword(member, after, actor);
  }

  /** Sets a password without the current one, for operators, and ends all sessions of the member. @throws PASSWORD_WEAK */
  async setPassword({ id, email }: Member, password: string, actor: Actor): Promise<void> {
    checkPassword(password, email);
    const passwordHash = await hashPassword(password);
    const entry = { at: this.#now(), actor, action: 'member.password', accountId: '' };
    await this.#store.update(id, (before) => ({ ...before, passwordHash }), entry);
    await this.#store.removeSessions(id);
    await this.#store.tokens.removeOf('password-reset', id);
  }

  /** Creates a second factor, which {@link confirmTotp} activates. @throws TOTP_INVALID if the member already has one */
  async beginTotp({ id, email }: Member): Promise<{ readonly secret: string; readonly uri: string }> {
    const { secret, uri } = createTotp(email);
    const stored = this.#secrets?.seal(secret, totpPlace(id)) ?? secret;
    await this.#store.update(id, (member) => {
      if (member.totp?.isConfirmed)
        throw new AuthError('TOTP_INVALID', 'The member already has a second factor.', { hint: 'Remove it first.' });
      return { ...member, totp: { secret: stored, isConfirmed: false, lastCounter: 0 } };
    });
    return { secret, uri };
  }

  /** @throws SECRETS_KEY_UNUSABLE if the key that sealed the secret is missing */
  #openSecret(memberId: string, secret: string): string {
    if (!isSealed(secret)) return secret;
    if (this.#secrets === undefined) throw keyMissing(sealedBy(secret));
    return this.#secrets.open(secret, totpPlace(memberId));
  }

  /** Activates a second factor with its first code. @throws TOTP_INVALID */
  async confirmTotp({ id, accountId }: Member, code: string, actor: Actor): Promise<void> {
    await this.#acceptCode(id, code, true);
    await this.#store.update(id, (member) => member, {
      at: this.#now(),
      actor,
      action: 'member.totp.confirm',
      accountId,
    });
  }

  /** Removes the second factor: with a code by the member, without one by an operator. @throws TOTP_INVALID, ATTEMPTS_PAUSED */
  async removeTotp(member: Member, code: string | undefined, actor: Actor): Promise<void> {
    if (code !== undefined) await this.#acceptCodeOrCount(member, code, actor.from);
    const { id, accountId } = member;
    const entry = { at: this.#now(), actor, action: 'member.totp.remove', accountId };
    await this.#store.update(id, (before) => ({ ...before, totp: undefined }), entry);
  }
}

/** @throws VALUE_INVALID */
export function parseEmail(email: string): string {
  const address = email.trim().toLowerCase();
  requirePattern('email', address, /^[^\s@]{1,64}@[^\s@]{1,190}$/, 'an e-mail address');
  return address;
}
