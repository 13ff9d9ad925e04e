import {
  BlockNotFoundError,
  type Blockstore,
  createVerifiedBlock,
  type PutOptions,
  type ReadOptions,
  waitForBlock,
  waitForPresence,
} from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { CairnError, isCairnError } from '@cairn/errors';
import type { Delivery, ExchangeSession } from './block-exchange.ts';
import { blockKey } from './block-key.ts';
import { linkAbort, untilAborted } from './linked-abort.ts';

export interface WithExchangeOptions {
  /** Milliseconds for which the read with this signal may wait for a missing block. 0 disables the wait and the fetch. */
  readonly waitMs: (signal: AbortSignal) => number;
  /** Returns the session of the reads with this signal, such as those of one request; undefined for local reads. */
  readonly sessionOf: (signal: AbortSignal) => Pick<ExchangeSession, 'fetch' | 'fetchStored'> | undefined;
  /** Reports whether the exchange may store blocks itself. It does not apply the limits of this store. Default: yes. */
  readonly mayStore?: () => boolean;
  /** See {@link PutOptions.isLeaf}. A later walk does not read fetched blocks without links again. */
  readonly isLeaf?: PutOptions['isLeaf'];
  /** Called for each reader that gets a block from the exchange, also when readers share the fetch. */
  readonly onFetched?: (signal: AbortSignal, bytes: number) => void;
  /** Called with failures of the exchange. The read then waits for the local store only. */
  readonly onError?: (error: unknown) => void;
}

/** Store whose reads fetch. */
export interface FetchingBlockstore extends Blockstore {
  /**
   * Fetches a block into the store that the caller has found missing, and returns its length. The proof that it is missing costs as
   * much as the rest of a small fetch, so that it is not repeated. The bytes pass through this process only if the exchange does
   * not store them. @throws as `get`
   */
  fetchSize(cid: CID, options: ReadOptions & { readonly signal: AbortSignal }): Promise<number>;
}

/**
 * Makes a read that misses ask an exchange. It waits for the exchange and for another process that stores the block. A
 * fetched block is verified and stored. Equal concurrent misses share one fetch. At the limit or the abort, the read throws
 * BLOCK_NOT_FOUND, as `withWait` does. An exchange ends the read with CONTENT_DENIED. Reads without a signal, `has` and `size` are local.
 */
export function withExchange(store: Blockstore, options: WithExchangeOptions): FetchingBlockstore {
  const reader = new MissReader(store, options);
  return {
    async get(cid, readOptions = {}) {
      try {
        return await store.get(cid, readOptions);
      } catch (error) {
        const { signal } = readOptions;
        if (signal === undefined || !isCairnError(error, 'BLOCK_NOT_FOUND')) throw error;
        const limitMs = options.waitMs(signal);
        if (limitMs <= 0) throw error;
        return await reader.read(cid, signal, limitMs);
      }
    },
    async fetchSize(cid, { signal }) {
      const limitMs = options.waitMs(signal);
      if (limitMs <= 0) throw new BlockNotFoundError(cid.toString());
      return await reader.readSize(cid, signal, limitMs);
    },
    has: (cid) => store.has(cid),
    size: (cid) => store.size(cid),
    putMany: (blocks, putOptions) => store.putMany(blocks, putOptions),
    sync: () => store.sync(),
    delete: (cid) => store.delete(cid),
    keys: (readOptions) => store.keys(readOptions),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}

/**
 * First pause between two looks at the store. Usually the exchange has the block first, and thousands of reads wait together. The
 * pause is longer where the exchange stores blocks: a look usually finds those.
 */
const bytesPauseMs = 100;
const storedPauseMs = 1000;

/** Time for the report of an exchange about a block that is in the store already. */
const reportMs = 250;

/** Time after which a block that the exchange has stored is visible in this process. */
const visibleMs = 1000;

// Created once: an error for each block would record a stack.
const readEnded = new Error('The read has ended.');

class MissReader {
  readonly #store: Blockstore;
  readonly #options: WithExchangeOptions;
  readonly #open = new Map<string, Promise<Delivery>>();

  constructor(store: Blockstore, options: WithExchangeOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Resolves with the block from the exchange or from the store, whichever has it first. */
  async read(cid: CID, signal: AbortSignal, limitMs: number): Promise<Uint8Array> {
    const session = this.#options.sessionOf(signal);
    if (session === undefined) return await waitForBlock(this.#store, cid, { signal, limitMs });
    const delivery = await this.#obtain(cid, { session: { fetch: session.fetch.bind(session) }, signal, limitMs });
    return delivery !== undefined && 'bytes' in delivery ? delivery.bytes : await this.#store.get(cid, { signal });
  }

  /** Stores a missing block and resolves with its length. */
  async readSize(cid: CID, signal: AbortSignal, limitMs: number): Promise<number> {
    const session = this.#options.sessionOf(signal);
    if (session?.fetchStored === undefined || this.#options.mayStore?.() === false)
      return (await this.read(cid, signal, limitMs)).length;
    const delivery = await this.#obtain(cid, { session, signal, limitMs });
    return delivery === undefined ? await this.#store.size(cid) : lengthOf(delivery);
  }

  /** Resolves with the delivery of the exchange, or with undefined when the store has the block from another process. */
  async #obtain(cid: CID, { session, signal, limitMs }: Miss): Promise<Delivery | undefined> {
    const startedAt = performance.now();
    const { signal: ended, abort, unlink } = linkAbort(signal);
    let fetched: Delivery | undefined;
    let denied: unknown;
    const fetching = this.#fetch(cid, session, ended).then(
      (delivery) => {
        fetched = delivery;
        abort(readEnded);
      },
      (error: unknown) => {
        if (isCairnError(error, 'CONTENT_DENIED')) {
          denied = error;
          abort(error);
        } else if (!ended.aborted) this.#options.onError?.(error);
      },
    );
    const pauseMs = session.fetchStored === undefined ? bytesPauseMs : storedPauseMs;
    let isPresent = false;
    let failure: unknown;
    try {
      isPresent = await waitForPresence(this.#store, cid, { signal: ended, limitMs, pauseMs });
      // The exchange may have stored it: its report follows, and counts the block.
      if (isPresent && session.fetchStored !== undefined) await Promise.race([fetching, pause(reportMs)]);
    } catch (error) {
      failure = error;
    } finally {
      unlink();
      abort(readEnded);
      await fetching;
    }
    if (fetched !== undefined) {
      this.#options.onFetched?.(signal, lengthOf(fetched));
      return fetched;
    }
    if (isPresent) return undefined;
    throw (
      denied ??
      failure ??
      notSupplied(cid, { waitedMs: signal.aborted ? Math.round(performance.now() - startedAt) : limitMs, signal })
    );
  }

  /** Joins the fetch of another reader. If that reader ends early, this one fetches itself. */
  async #fetch(cid: CID, session: Session, signal: AbortSignal): Promise<Delivery> {
    // A reader that needs bytes cannot share a fetch that may return a length.
    const key = `${session.fetchStored === undefined ? 'bytes' : 'stored'} ${blockKey(cid)}`;
    for (;;) {
      const open = this.#open.get(key);
      if (open === undefined) return await this.#lead(key, cid, session, signal);
      try {
        return await untilAborted(open, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof LeaderEnded)) throw error;
      }
    }
  }

  async #lead(key: string, cid: CID, session: Session, signal: AbortSignal): Promise<Delivery> {
    const delivery = this.#fetchAndStore(cid, session, signal).catch((error: unknown) => {
      throw signal.aborted ? new LeaderEnded() : error;
    });
    this.#open.set(key, delivery);
    try {
      return await delivery;
    } finally {
      this.#open.delete(key);
    }
  }

  async #fetchAndStore(cid: CID, session: Session, signal: AbortSignal): Promise<Delivery> {
    const storing = session.fetchStored?.(cid, { signal });
    const stored = storing && (await untilAborted(storing, signal));
    if (stored !== undefined && 'storedBytes' in stored && (await this.#isStored(cid, signal))) return stored;
    // An exchange over another store has stored it there only.
    const bytes =
      stored !== undefined && 'bytes' in stored
        ? stored.bytes
        : await untilAborted(session.fetch(cid, { signal }), signal);
    const block = createVerifiedBlock(cid, bytes);
    // Waits while the disk is slower than the network. A full store does not fail the read.
    const { isLeaf, onError } = this.#options;
    await this.#store.putMany([block], isLeaf && { isLeaf }).catch((error: unknown) => onError?.(error));
    return { bytes };
  }

  /** The write of another process is visible at the next look at the store. */
  async #isStored(cid: CID, signal: AbortSignal): Promise<boolean> {
    return (await this.#store.has(cid)) || (await waitForPresence(this.#store, cid, { signal, limitMs: visibleMs }));
  }
}

type Session = Pick<ExchangeSession, 'fetch' | 'fetchStored'>;

/** Read of a missing block. */
interface Miss {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

function lengthOf(delivery: Delivery): number {
  return 'bytes' in delivery ? delivery.bytes.length : delivery.storedBytes;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

/** Names the network in the reason: the reader does not expect the block on this machine. */
function notSupplied(
  cid: CID,
  { waitedMs, signal }: { readonly waitedMs: number; readonly signal: AbortSignal },
): CairnError<'BLOCK_NOT_FOUND'> {
  const seconds = Math.round(waitedMs / 100) / 10;
  const message = `Block ${cid} is not in this store, and no node of the IPFS network supplied it within ${seconds} s.`;
  const hint = 'Check the CID, or name nodes that have the content.';
  const details = { cid: cid.toString(), waitedMs };
  return new CairnError('BLOCK_NOT_FOUND', message, {
    hint,
    details,
    cause: signal.aborted ? signal.reason : undefined,
  });
}

/** Reports to other readers that the reader which fetched for them has ended. */
class LeaderEnded extends Error {}
