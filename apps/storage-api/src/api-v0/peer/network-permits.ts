import { Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import { peerLimits } from './limits.ts';

/** Limits the concurrent network requests of each account, and of all. */
@Injectable()
export class NetworkPermits {
  #running = 0;
  readonly #ofAccounts = new Map<string, number>();

  /** @throws ApiError 429 while all permits, or those of the account, are in use */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const { accountQueriesMax, queriesMax } = peerLimits;
    const own = this.#ofAccounts.get(accountId) ?? 0;
    if (own >= accountQueriesMax) throw busy(`${own} network requests of this account`);
    if (this.#running >= queriesMax) throw busy(`${queriesMax} network requests`);
    this.#running++;
    this.#ofAccounts.set(accountId, own + 1);
    try {
      return await work();
    } finally {
      this.#running--;
      const left = (this.#ofAccounts.get(accountId) ?? 1) - 1;
      if (left === 0) this.#ofAccounts.delete(accountId);
      else this.#ofAccounts.set(accountId, left);
    }
  }
}

function busy(requests: string): ApiError {
  return new ApiError(429, `${requests} are under way, the most allowed; try again in a moment`, {
    'retry-after': '1',
  });
}
