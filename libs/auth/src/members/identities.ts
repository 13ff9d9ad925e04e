import { createHash } from 'node:crypto';
import { isCairnError } from '@cairn/errors';
import type { AccountStore } from '../account-store.ts';
import type { Actor } from '../audit.ts';
import type { Auth } from '../auth.ts';
import { AuthError } from '../errors.ts';
import type { Member } from './member.ts';
import type { MemberStore } from './member-store.ts';
import { parseEmail } from './members.ts';

/** Records of identities have no end. The latest time of ECMAScript, in milliseconds since 1970. */
const never = 8.64e15;
/** Names tried for a new account. */
const namesMax = 20;

/** Verified claims of an OpenID provider about a person (OpenID Connect Core 1.0). */
export interface IdentityClaims {
  /** Issuer identifier. */
  readonly issuer: string;
  /** Identifier of the person at the issuer, which never changes. */
  readonly subject: string;
  readonly email?: string | undefined;
  /** Whether the provider has proved that the person reads the mailbox. */
  readonly isEmailVerified?: boolean | undefined;
}

/**
 * Identities of an OpenID provider. The first sign-in links an identity to a member by a verified e-mail address, or creates
 * an account; later ones find the member by issuer and subject, also after a change of the address.
 */
export class Identities {
  readonly #auth: Auth;
  readonly #accounts: AccountStore;
  readonly #store: MemberStore;
  readonly #now: () => number;

  constructor({
    auth,
    store,
    now = Date.now,
  }: { readonly auth: Auth; readonly store: AccountStore; readonly now?: () => number }) {
    this.#auth = auth;
    this.#accounts = store;
    this.#store = store.members;
    this.#now = now;
  }

  /**
   * Returns the member of an identity.
   * @param plan plan of a new account; undefined if visitors may not create accounts
   * @throws IDENTITY_REFUSED if the provider has not verified the address, the address of the member here is not verified, or
   * there is no member and no plan
   */
  async member(
    claims: IdentityClaims,
    { plan, from }: { readonly plan?: string | undefined; readonly from: string },
  ): Promise<Member> {
    const known = await this.#store.tokens.get(identityIdOf(claims));
    const linked = known?.kind === 'identity' ? await this.#store.member(known.subject) : undefined;
    if (linked !== undefined) return linked;
    const { email, isEmailVerified } = claims;
    if (email === undefined || isEmailVerified !== true)
      throw refused(
        'unverified there',
        'The provider has not verified your e-mail address.',
        'Verify it there, then sign in again.',
      );
    const address = parseEmail(email);
    const actor = { who: address, from };
    const member = await this.#store.byEmail(address);
    // Another person may have registered the address here.
    if (member !== undefined && member.emailVerifiedAt === undefined)
      throw refused(
        'unverified here',
        'There is a member with your e-mail address, but the address was never verified here.',
        'Sign in with the password and verify the address, or set a new password by mail.',
      );
    if (member === undefined && plan === undefined)
      throw refused(
        'no account',
        'You have no account here, and sign-up is closed.',
        'Ask the operator of this service.',
      );
    return await this.#link(claims, member ?? (await this.#create(address, plan ?? 'free', actor)), actor);
  }

  async #link(claims: IdentityClaims, member: Member, actor: Actor): Promise<Member> {
    const at = this.#now();
    await this.#store.tokens.put({
      id: identityIdOf(claims),
      kind: 'identity',
      subject: member.id,
      email: member.email,
      name: claims.issuer,
      createdAt: at,
      expiresAt: never,
    });
    const change = (before: Member): Member => ({ ...before, emailVerifiedAt: before.emailVerifiedAt ?? at });
    const { issuer } = claims;
    const { accountId } = member;
    return await this.#store.update(member.id, change, {
      ...{ at, actor, action: 'member.identity.link', accountId },
      change: { issuer },
    });
  }

  /** Creates an account, named by the address, with a member without a password. */
  async #create(address: string, plan: string, actor: Actor): Promise<Member> {
    const local = address.split('@', 1)[0] ?? '';
    const wanted =
      local
        .replace(/[^\p{L}\p{N} ._@-]/gu, '-')
        .replace(/^[^\p{L}\p{N}]+/u, '')
        .slice(0, 56) || 'account';
    for (let count = 1; count <= namesMax; count++) {
      const name = count === 1 ? wanted : `${wanted} ${count}`;
      if ((await this.#accounts.accountByName(name)) !== undefined) continue;
      try {
        await this.#auth
          .as(actor)
          .createAccount({ name, email: address, plan, owner: { email: address, passwordHash: '' } });
      } catch (error) {
        // Another sign-in took the name meanwhile.
        if (isCairnError(error, 'ACCOUNT_EXISTS')) continue;
        throw error;
      }
      const member = await this.#store.byEmail(address);
      if (member !== undefined) return member;
    }
    throw new AuthError('ACCOUNT_EXISTS', `${namesMax} accounts are named ${JSON.stringify(wanted)}.`, {
      hint: 'Sign up with another name, then sign in with the provider.',
    });
  }
}

function identityIdOf({ issuer, subject }: IdentityClaims): string {
  return createHash('sha256').update(`${issuer}\0${subject}`).digest('hex');
}

function refused(reason: string, message: string, hint: string): AuthError {
  return new AuthError('IDENTITY_REFUSED', message, { hint, details: { reason } });
}
