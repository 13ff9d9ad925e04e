import type { AccountStore } from '../account-store.ts';
import type { Actor } from '../audit.ts';
import { requirePattern } from '../checks.ts';
import { AuthError, accountSuspended, memberNotFound } from '../errors.ts';
import type { Member } from './member.ts';
import type { MemberStore } from './member-store.ts';
import { type MemberToken, memberTokenId, newMemberToken } from './member-token.ts';
import type { SignedIn } from './members.ts';

const dayMs = 86_400_000;

/** First characters of each API token, by which secret scanners find it. */
export const apiTokenPrefix = 'cairn_pat_';

export const apiTokenLimits = {
  /** Tokens of one member. */
  tokensMax: 50,
  /** Days that a token may work. */
  daysMax: 366,
} as const;

/** Token with which a program acts for a member. Its text is returned only once. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  /** A read-only token changes nothing. Another has the rights of the member. */
  readonly isReadOnly: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Personal API tokens: `Authorization: Bearer cairn_pat_…` instead of a session. The store has only hashes. */
export class ApiTokens {
  readonly #accounts: AccountStore;
  readonly #store: MemberStore;
  readonly #now: () => number;

  constructor({ store, now = Date.now }: { readonly store: AccountStore; readonly now?: () => number }) {
    this.#accounts = store;
    this.#store = store.members;
    this.#now = now;
  }

  /** Creates a token. @param days 1 to 366 @throws VALUE_INVALID, API_TOKENS_FULL */
  async create(
    member: Member,
    { name, days, isReadOnly }: { readonly name: string; readonly days: number; readonly isReadOnly: boolean },
    actor: Actor,
  ): Promise<{ readonly token: ApiToken; readonly text: string }> {
    requirePattern('name', name, /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, '1 to 64 letters, digits, spaces or . _ -');
    const { tokensMax, daysMax } = apiTokenLimits;
    if (!Number.isInteger(days) || days < 1 || days > daysMax)
      throw new AuthError('VALUE_INVALID', `days: expected a whole number from 1 to ${daysMax}.`, {
        details: { field: 'days' },
      });
    if ((await this.list(member)).length >= tokensMax)
      throw new AuthError('API_TOKENS_FULL', `You have ${tokensMax} API tokens, the most allowed.`, {
        hint: 'Revoke one.',
      });
    const createdAt = this.#now();
    const expiresAt = createdAt + days * dayMs;
    const { text, record } = newMemberToken(
      { kind: 'api', subject: member.id, email: member.email, name, isReadOnly, createdAt, expiresAt },
      apiTokenPrefix,
    );
    await this.#store.tokens.removeExpired(createdAt);
    await this.#log(member, actor, 'member.token.create', { name, isReadOnly, expiresAt });
    await this.#store.tokens.put(record);
    return { token: apiTokenOf(record), text };
  }

  /** Returns the tokens of a member, the newest first. */
  async list({ id }: Member): Promise<readonly ApiToken[]> {
    const tokens = (await this.#store.tokens.of('api', id)).filter((token) => this.#isUsable(token));
    return tokens.map(apiTokenOf).sort((one, other) => other.createdAt - one.createdAt);
  }

  /** Revokes a token. @throws API_TOKEN_NOT_FOUND, also for a token of another member */
  async revoke(member: Member, id: string, actor: Actor): Promise<void> {
    const found = (await this.list(member)).find((token) => token.id === id);
    if (found === undefined || (await this.#store.tokens.take(id)) === undefined)
      throw new AuthError('API_TOKEN_NOT_FOUND', 'You have no API token of this id.');
    await this.#log(member, actor, 'member.token.revoke', { name: found.name });
  }

  /**
   * Returns the member and the account of a token.
   * @throws CREDENTIALS_INVALID, the same for an unknown, a revoked and an expired token; ACCOUNT_SUSPENDED
   */
  async signIn(text: string): Promise<SignedIn & { readonly apiToken: ApiToken }> {
    const token = await this.#store.tokens.get(memberTokenId(text));
    const member = this.#isUsable(token) ? await this.#store.member(token.subject) : undefined;
    if (token === undefined || member === undefined)
      throw new AuthError('CREDENTIALS_INVALID', 'The API token is not valid: it is unknown, expired or revoked.', {
        hint: 'Create one under Security in the console.',
      });
    const account = await this.#accounts.account(member.accountId);
    if (account === undefined) throw memberNotFound();
    if (account.status === 'suspended' && member.role !== 'operator') throw accountSuspended();
    const { id, createdAt, expiresAt } = token;
    return { member, account, session: { id, memberId: member.id, createdAt, expiresAt }, apiToken: apiTokenOf(token) };
  }

  async #log({ accountId }: Member, actor: Actor, action: string, change: object): Promise<void> {
    const entries = [{ at: this.#now(), actor, action, accountId, change: { ...change } }];
    await this.#accounts.updateAccount(accountId, (account) => ({ account, entries }));
  }

  #isUsable(token: MemberToken | undefined): token is MemberToken {
    return token?.kind === 'api' && token.expiresAt > this.#now();
  }
}

function apiTokenOf({ id, name = '', isReadOnly = true, createdAt, expiresAt }: MemberToken): ApiToken {
  return { id, name, isReadOnly, createdAt, expiresAt };
}
