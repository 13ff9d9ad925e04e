import type { CID } from '@cairn/cid';
import type { BlockExchange, ExchangeSession, FetchOptions, Provider } from './block-exchange.ts';
import { exchangeClosed } from './errors.ts';
import { linkAbort } from './linked-abort.ts';

export interface RaceOptions {
  /**
   * Milliseconds without a block after which the other exchanges of a session join the one that won the previous block, so that
   * the blocks of a file are not transferred twice. Default: 300.
   */
  readonly headStartMs?: number;
}

// Created once: an error for each block would record a stack.
const raceEnded = new Error('Another exchange returned the block, or the fetch ended.');

/** Fetches through one of the exchanges. */
type Fetch = (cid: CID, options: FetchOptions) => Promise<Uint8Array>;

/**
 * Races exchanges: the first one with a block wins and ends the fetches of the others. A fetch outside of a session starts
 * all of them immediately. A fetch fails when all of them have failed.
 */
export function raceExchanges(
  exchanges: readonly BlockExchange[],
  { headStartMs = 300 }: RaceOptions = {},
): BlockExchange {
  let isClosed = false;
  const fetches = exchanges.map(
    (exchange): Fetch =>
      (cid, options) =>
        exchange.fetch(cid, options),
  );
  return {
    fetch: async (cid, options = {}) => {
      if (isClosed) throw exchangeClosed();
      return (await race(fetches, cid, options, { first: undefined, wonAt: 0, headStartMs })).bytes;
    },
    openSession: (options) =>
      openRace(
        exchanges.map((exchange) => exchange.openSession(options)),
        headStartMs,
      ),
    announce: (cids) => {
      for (const exchange of exchanges) exchange.announce(cids);
    },
    peers: () => exchanges.flatMap((exchange) => exchange.peers()),
    close: async () => {
      isClosed = true;
      await Promise.all(exchanges.map((exchange) => exchange.close()));
    },
  };
}

function openRace(sessions: readonly ExchangeSession[], headStartMs: number): ExchangeSession {
  const fetches = sessions.map(
    (session): Fetch =>
      (cid, options) =>
        session.fetch(cid, options),
  );
  const order: Order = { first: undefined, wonAt: 0, headStartMs };
  return {
    fetch: async (cid, options = {}) => {
      const { bytes, winner } = await race(fetches, cid, options, order);
      order.first = winner;
      order.wonAt = performance.now();
      return bytes;
    },
    addProviders: (providers: readonly Provider[]) => {
      for (const session of sessions) session.addProviders(providers);
    },
    close: () => {
      for (const session of sessions) session.close();
    },
  };
}

/** Order of the fetches of a session. */
interface Order {
  /** Index of the exchange with the head start. */
  first: number | undefined;
  /** Time of its last block. */
  wonAt: number;
  readonly headStartMs: number;
}

interface Won {
  readonly bytes: Uint8Array;
  readonly winner: number;
}

async function race(fetches: readonly Fetch[], cid: CID, options: FetchOptions, order: Order): Promise<Won> {
  const { signal, abort, unlink } = linkAbort(options.signal);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Won>((resolve, reject) => {
      const waiting = new Set(fetches.keys());
      let running = 0;
      const start = (index: number) => {
        if (!waiting.delete(index)) return;
        running++;
        fetches[index]?.(cid, { ...options, signal }).then(
          (bytes) => resolve({ bytes, winner: index }),
          (error: unknown) => {
            running--;
            startAll();
            if (running === 0) reject(error);
          },
        );
      };
      const startAll = () => {
        for (const index of [...waiting]) start(index);
      };
      if (order.first === undefined) {
        startAll();
        return;
      }
      start(order.first);
      // While blocks arrive, this one waits in a queue of the same exchange.
      const joinLater = (ms: number) => {
        timer = setTimeout(() => {
          const leftMs = order.wonAt + order.headStartMs - performance.now();
          if (leftMs > 0) joinLater(leftMs);
          else startAll();
        }, ms);
      };
      joinLater(order.headStartMs);
    });
  } finally {
    clearTimeout(timer);
    unlink();
    abort(raceEnded);
  }
}
