import { AccountAlerts, type AccountStore } from '@cairn/auth';
import { ACCOUNT_STORE } from '@cairn/auth/nest';
import { errorChain } from '@cairn/errors';
import type { PinRequestStore } from '@cairn/pinning';
import type { Logger } from '@cairn/service-kit';
import { LOGGER, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Mailer } from '../mail/mailer.ts';
import type { ConsoleSettings } from '../settings.ts';
import type { ConsoleStores } from '../stores.ts';
import { MAILER, PIN_REQUESTS, STORES } from '../tokens.ts';
import { UsageAlerts } from './usage-alerts.ts';

/** Checks usage alerts at an interval. */
@Injectable()
export class AlertRunner implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #alerts: UsageAlerts;
  readonly #intervalMs: number;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #check = Promise.resolve();

  constructor(
    @Inject(ACCOUNT_STORE) accounts: AccountStore,
    @Inject(AccountAlerts) alerts: AccountAlerts,
    @Inject(STORES) stores: ConsoleStores,
    @Inject(PIN_REQUESTS) { webhooks }: PinRequestStore,
    @Inject(MAILER) mailer: Mailer | undefined,
    @Inject(SETTINGS) { CAIRN_ALERT_SECONDS }: ConsoleSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#intervalMs = CAIRN_ALERT_SECONDS * 1000;
    this.#alerts = new UsageAlerts({ accounts, alerts, stores, webhooks, mailer, logger });
  }

  onApplicationBootstrap(): void {
    this.#plan();
  }

  /** Number of addresses that alerts of an account are sent to. */
  async recipientCount(accountId: string): Promise<number> {
    return (await this.#alerts.recipients(accountId)).length;
  }

  #plan(): void {
    this.#timer = setTimeout(() => {
      this.#check = this.#alerts
        .check(this.#stop.signal)
        .catch((error: unknown) => this.logger.warn({ causes: errorChain(error) }, 'usage alerts were not checked'))
        .then(() => {
          if (!this.#stop.signal.aborted) this.#plan();
        });
    }, this.#intervalMs).unref();
  }

  /** Stops before the stores close. */
  async onModuleDestroy(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#check;
  }
}
