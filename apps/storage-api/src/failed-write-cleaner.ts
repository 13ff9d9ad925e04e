import { errorChain } from '@cairn/errors';
import { Collector } from '@cairn/pinning';
import type { Logger } from '@cairn/service-kit';
import { LOGGER } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Milliseconds within which a disconnected client usually retries with the same blocks. */
const delayMs = 30_000;

/** Removes the blocks of failed writes. They count for no account, so they must not wait for the grace period. */
@Injectable()
export class FailedWriteCleaner implements OnModuleDestroy {
  readonly #stop = new AbortController();
  /** Accounts that wait for their turn; one collection at a time. */
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  #work: Promise<void> = Promise.resolve();

  constructor(
    @Inject(Collector) private readonly collector: Collector,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Collects for an account a little later, once for all failures until then. */
  removeSoon(account: string): void {
    if (this.#waiting.has(account) || this.#stop.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#work = this.#work.then(() => this.#remove(account));
    }, delayMs).unref();
    this.#waiting.set(account, timer);
  }

  async #remove(account: string): Promise<void> {
    this.#waiting.delete(account);
    const { signal } = this.#stop;
    if (signal.aborted) return;
    try {
      const report = await this.collector.collectFor(account, { signal, leftoversOnly: true });
      this.logger.info({ account, ...report }, 'removed the blocks of failed writes');
    } catch (error) {
      if (!signal.aborted)
        this.logger.error({ causes: errorChain(error) }, 'the blocks of failed writes could not be removed');
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.#stop.abort(new Error('the service is shutting down'));
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    await this.#work;
  }
}
