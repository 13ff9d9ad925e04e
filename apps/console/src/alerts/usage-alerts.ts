import type { Account, AccountAlerts, AccountStore } from '@cairn/auth';
import { errorChain } from '@cairn/errors';
import { fallbackPlan, type MeteringStores } from '@cairn/metering';
import type { PinStore, WebhookStore } from '@cairn/pinning';
import type { Logger } from '@cairn/service-kit';
import type { Mailer } from '../mail/mailer.ts';
import { alertData, alertMail } from './alert-texts.ts';
import { highestOfEach, type ReachedThreshold, reachedThresholds } from './reached-limits.ts';

export interface UsageAlertsOptions {
  readonly accounts: Pick<AccountStore, 'accounts' | 'members'>;
  readonly alerts: Pick<AccountAlerts, 'claim' | 'settle' | 'needsClaim'>;
  readonly stores: Pick<MeteringStores, 'usage' | 'plans'> & { readonly pins: Pick<PinStore, 'usage'> };
  readonly webhooks: Pick<WebhookStore, 'notify'>;
  readonly mailer: Pick<Mailer, 'send'> | undefined;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now?: () => number;
}

/** Sends usage alerts of all accounts, each once. An alert that fails is sent again some minutes later. */
export class UsageAlerts {
  readonly #options: UsageAlertsOptions;
  readonly #now: () => number;

  constructor(options: UsageAlertsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Compares the usage of every account with its thresholds, until `signal` aborts. */
  async check(signal: AbortSignal): Promise<void> {
    const plans = new Map((await this.#options.stores.plans.plans()).map((plan) => [plan.name, plan]));
    for await (const account of this.#options.accounts.accounts()) {
      if (signal.aborted) return;
      if (account.alerts === undefined || account.status !== 'active') continue;
      try {
        const plan = plans.get(account.plan) ?? plans.get(fallbackPlan);
        await this.#report(account, await reachedThresholds(account, plan, this.#options.stores, this.#now()));
      } catch (error) {
        // The claim ends after some minutes, and the alert is sent again.
        this.#options.logger.warn({ account: account.id, causes: errorChain(error) }, 'a usage alert was not sent');
      }
    }
  }

  async #report(account: Account, reached: readonly ReachedThreshold[]): Promise<void> {
    const { alerts } = this.#options;
    const names = reached.map(({ name }) => name);
    if (!alerts.needsClaim(account, names)) return;
    const claimed = await alerts.claim(account.id, names);
    for (const one of highestOfEach(reached, claimed)) await this.#send(account, one);
    if (claimed.length > 0) await alerts.settle(account.id, claimed);
  }

  async #send({ id, name, alerts }: Account, reached: ReachedThreshold): Promise<void> {
    const { mailer, webhooks } = this.#options;
    if (alerts?.byWebhook) await webhooks.notify(id, { type: 'usage.threshold', data: alertData(reached) });
    if (!alerts?.byMail || mailer === undefined) return;
    for (const to of await this.recipients(id)) await mailer.send(alertMail(to, name, reached));
  }

  /** Verified addresses of owners, operators and billing members. */
  async recipients(accountId: string): Promise<readonly string[]> {
    const members = await this.#options.accounts.members.ofAccount(accountId);
    return members
      .filter(
        ({ role, emailVerifiedAt }) => emailVerifiedAt !== undefined && role !== 'developer' && role !== 'read-only',
      )
      .map(({ email }) => email);
  }
}
