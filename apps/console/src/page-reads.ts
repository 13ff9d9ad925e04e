import { CairnError } from '@cairn/errors';

/** Limits of page reads, which are free for the customer. */
export const pageReadLimits = {
  /** Concurrent reads of one account. */
  underWayMax: 4,
  /** Waiting reads of one account. */
  waitingMax: 64,
} as const;

interface Reads {
  underWay: number;
  readonly waiting: (() => void)[];
}

/** Limits page reads per account, so that a script with a session takes no more than a page. */
export class PageReads {
  readonly #ofAccounts = new Map<string, Reads>();

  /** Accounts with running reads. */
  get size(): number {
    return this.#ofAccounts.size;
  }

  /** Waits for a permit and returns its release function. @throws SERVICE_BUSY when too many reads wait */
  async enter(accountId: string): Promise<() => void> {
    const reads = this.#ofAccounts.get(accountId) ?? { underWay: 0, waiting: [] };
    this.#ofAccounts.set(accountId, reads);
    if (reads.underWay < pageReadLimits.underWayMax) reads.underWay++;
    else {
      if (reads.waiting.length >= pageReadLimits.waitingMax)
        throw new CairnError(
          'SERVICE_BUSY',
          `${pageReadLimits.waitingMax} reads of pages of this account wait already.`,
          {
            hint: 'Close some pages of the console, then retry.',
            details: { retryAfterSeconds: 1 },
          },
        );
      // A finished read hands its permit to the first waiting read.
      await new Promise<void>((resolve) => reads.waiting.push(resolve));
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = reads.waiting.shift();
      if (next !== undefined) return next();
      reads.underWay--;
      if (reads.underWay === 0) this.#ofAccounts.delete(accountId);
    };
  }
}
