import type { AccountStore } from '../account-store.ts';
import type { Actor } from '../audit.ts';
import { requirePattern } from '../checks.ts';
import { AuthError, accountNotFound } from '../errors.ts';
import type { SignedIn } from './members.ts';

/** A view ends after this time, in milliseconds. */
export const accountViewMs = 30 * 60_000;

/** Views of operators into accounts of others: they read what a member sees, change nothing, and leave a record. */
export class AccountViews {
  readonly #accounts: AccountStore;
  readonly #now: () => number;

  constructor({ store, now = Date.now }: { readonly store: AccountStore; readonly now?: () => number }) {
    this.#accounts = store;
    this.#now = now;
  }

  /**
   * Begins a view in the session of an operator. The audit log of the account records operator and reason first.
   * @param reason 5 to 200 characters
   * @returns the end of the view, in milliseconds since 1970
   * @throws MEMBER_NOT_FOUND if the member is not an operator, ACCOUNT_NOT_FOUND, VALUE_INVALID
   */
  async begin({ member, session }: SignedIn, accountId: string, reason: string, actor: Actor): Promise<number> {
    requirePattern('reason', reason, /^[^\p{C}]{5,200}$/u, '5 to 200 characters on one line');
    if (member.role !== 'operator') throw new AuthError('MEMBER_NOT_FOUND', 'Only an operator views other accounts.');
    if ((await this.#accounts.account(accountId)) === undefined) throw accountNotFound(accountId);
    const at = this.#now();
    const endsAt = at + accountViewMs;
    const entries = [
      { at, actor, action: 'account.view', accountId, change: { reason, minutes: accountViewMs / 60_000 } },
    ];
    await this.#accounts.updateAccount(accountId, (account) => ({ account, entries }));
    await this.#accounts.members.updateSession(session.id, (before) => ({ ...before, view: { accountId, endsAt } }));
    return endsAt;
  }

  /** Ends the view of a session. Without a view it has no effect. */
  async end({ session }: SignedIn): Promise<void> {
    await this.#accounts.members.updateSession(session.id, ({ view: _, ...before }) => before);
  }
}
