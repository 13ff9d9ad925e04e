import { CairnError } from '@cairn/errors';

/** Reads of pages are free for the customer, so their number is limited here. */
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

/** Limits what the console reads for its own pages, account by account: a script in a session takes no more than a page does. */
export class PageReads {
  readonly #ofAccounts = new Map<string, Reads>();

  /** Accounts with reads under way. */
  get size(): number {
    return this.#ofAccounts.size;
  }

  /** Waits for a place; call what it returns when the read has ended. @throws SERVICE_BUSY when too many wait already */
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
            hint: 'Close some pages of the console and try again.',
            details: { retryAfterSeconds: 1 },
          },
        );
      // The place of one that ends goes to the first that waits.
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
