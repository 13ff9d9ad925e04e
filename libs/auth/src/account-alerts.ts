import type { Account, UsageAlerts } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Actor } from './audit.ts';
import { AuthError } from './errors.ts';

/** Limits of usage alerts. */
export const accountAlertLimits = {
  thresholdsMax: 10,
  /** An alert whose sender ended without a result is sent again after this time, in milliseconds. */
  retryMs: 5 * 60_000,
} as const;

/** Chosen thresholds and ways of an account. */
export type AlertSettings = Pick<UsageAlerts, 'thresholds' | 'byMail' | 'byWebhook'>;

/** Usage alerts of accounts: their settings, and which alerts were sent. */
export class AccountAlerts {
  readonly #store: AccountStore;
  readonly #now: () => number;

  constructor({
    store,
    now = Date.now,
  }: {
    readonly store: AccountStore;
    /** Current time in milliseconds since 1970. Default: `Date.now`. */
    readonly now?: () => number;
  }) {
    this.#store = store;
    this.#now = now;
  }

  /** Replaces the settings of an account. Sent alerts stay sent. @throws VALUE_INVALID, ACCOUNT_NOT_FOUND */
  async set(accountId: string, { thresholds, byMail, byWebhook }: AlertSettings, actor: Actor): Promise<void> {
    const sorted = [...new Set(thresholds)].sort((one, other) => one - other);
    const isValid = sorted.every((one) => Number.isInteger(one) && one >= 1 && one <= 100);
    if (!isValid || sorted.length > accountAlertLimits.thresholdsMax)
      throw new AuthError(
        'VALUE_INVALID',
        `thresholds: expected up to ${accountAlertLimits.thresholdsMax} whole percentages from 1 to 100`,
        { details: { field: 'thresholds' } },
      );
    const change = { thresholds: sorted, byMail, byWebhook };
    const entry = { at: this.#now(), actor, action: 'account.alerts', accountId, change };
    await this.#store.updateAccount(accountId, (account) => ({
      account: { ...account, alerts: { ...change, sent: account.alerts?.sent ?? {} } },
      entries: [entry],
    }));
  }

  /**
   * Takes the right to send the alerts of these names and forgets all others: their limits are no longer reached. Of
   * several processes one gets the right.
   * @returns the names to send now
   */
  async claim(accountId: string, reached: readonly string[]): Promise<readonly string[]> {
    let claimed: readonly string[] = [];
    await this.#store.updateAccount(accountId, (account) => {
      const { alerts } = account;
      claimed = alerts === undefined ? [] : reached.filter((name) => this.#isDue(alerts, name));
      if (alerts === undefined) return { account, entries: [] };
      const sent: Record<string, number | 'sent'> = {};
      for (const name of reached) sent[name] = claimed.includes(name) ? this.#now() : (alerts.sent[name] ?? 'sent');
      return { account: { ...account, alerts: { ...alerts, sent } }, entries: [] };
    });
    return claimed;
  }

  /** Records that alerts were sent. */
  async settle(accountId: string, names: readonly string[]): Promise<void> {
    await this.#store.updateAccount(accountId, (account) => {
      if (account.alerts === undefined) return { account, entries: [] };
      const sent = { ...account.alerts.sent };
      for (const name of names) if (sent[name] !== undefined) sent[name] = 'sent';
      return { account: { ...account, alerts: { ...account.alerts, sent } }, entries: [] };
    });
  }

  /** Reports whether a check of an account would change something, so that most checks write nothing. */
  needsClaim({ alerts }: Pick<Account, 'alerts'>, reached: readonly string[]): boolean {
    if (alerts === undefined) return false;
    const known = Object.keys(alerts.sent);
    return known.some((name) => !reached.includes(name)) || reached.some((name) => this.#isDue(alerts, name));
  }

  #isDue({ sent }: UsageAlerts, name: string): boolean {
    const state = sent[name];
    return state === undefined || (typeof state === 'number' && this.#now() - state > accountAlertLimits.retryMs);
  }
}
