import { type Blockstore, createVerifiedBlock, waitForBlock } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { CairnError, isCairnError } from '@cairn/errors';
import type { ExchangeSession } from './block-exchange.ts';
import { blockKey } from './block-key.ts';
import { linkAbort, untilAborted } from './linked-abort.ts';

export interface WithExchangeOptions {
  /** Milliseconds for which the read with this signal may wait for a missing block. 0 disables the wait and the fetch. */
  readonly waitMs: (signal: AbortSignal) => number;
  /** Returns the session of the reads with this signal, such as those of one request; undefined for local reads. */
  readonly sessionOf: (signal: AbortSignal) => Pick<ExchangeSession, 'fetch'> | undefined;
  /** Called for each reader that gets a block from the exchange, also when readers share the fetch. */
  readonly onFetched?: (signal: AbortSignal, bytes: number) => void;
  /** Called with failures of the exchange. The read then waits for the local store only. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Makes a read that misses ask an exchange. It waits for the exchange and for another process that stores the block. A
 * fetched block is verified and stored. Equal concurrent misses share one fetch. At the limit or the abort, the read throws
 * BLOCK_NOT_FOUND, as `withWait` does. An exchange ends the read with CONTENT_DENIED. Reads without a signal, `has` and `size` are local.
 */
export function withExchange(store: Blockstore, options: WithExchangeOptions): Blockstore {
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
 * First pause between two looks at the store. Usually the exchange has the block first, and thousands of reads wait together.
 */
const pauseMs = 100;

// Created once: an error for each block would record a stack.
const readEnded = new Error('The read has ended.');

class MissReader {
  readonly #store: Blockstore;
  readonly #options: WithExchangeOptions;
  readonly #open = new Map<string, Promise<Uint8Array>>();

  constructor(store: Blockstore, options: WithExchangeOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Resolves with the block from the exchange or from the store, whichever has it first. */
  async read(cid: CID, signal: AbortSignal, limitMs: number): Promise<Uint8Array> {
    const session = this.#options.sessionOf(signal);
    if (session === undefined) return await waitForBlock(this.#store, cid, { signal, limitMs });
    const { signal: ended, abort, unlink } = linkAbort(signal);
    let fetched: Uint8Array | undefined;
    let denied: unknown;
    const fetching = this.#fetch(cid, session, ended).then(
      (bytes) => {
        fetched = bytes;
        abort(readEnded);
      },
      (error: unknown) => {
        if (isCairnError(error, 'CONTENT_DENIED')) {
          denied = error;
          abort(error);
        } else if (!ended.aborted) this.#options.onError?.(error);
      },
    );
    try {
      return await waitForBlock(this.#store, cid, { signal: ended, limitMs, pauseMs });
    } catch (error) {
      if (fetched === undefined)
        throw denied ?? (isCairnError(error, 'BLOCK_NOT_FOUND') ? notSupplied(cid, error) : error);
      this.#options.onFetched?.(signal, fetched.length);
      return fetched;
    } finally {
      unlink();
      abort(readEnded);
      await fetching;
    }
  }

  /** Joins the fetch of another reader. If that reader ends early, this one fetches itself. */
  async #fetch(cid: CID, session: Pick<ExchangeSession, 'fetch'>, signal: AbortSignal): Promise<Uint8Array> {
    const key = blockKey(cid);
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

  async #lead(
    key: string,
    cid: CID,
    session: Pick<ExchangeSession, 'fetch'>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const bytes = this.#fetchAndStore(cid, session, signal).catch((error: unknown) => {
      throw signal.aborted ? new LeaderEnded() : error;
    });
    this.#open.set(key, bytes);
    try {
      return await bytes;
    } finally {
      this.#open.delete(key);
    }
  }

  async #fetchAndStore(cid: CID, session: Pick<ExchangeSession, 'fetch'>, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await untilAborted(session.fetch(cid, { signal }), signal);
    const block = createVerifiedBlock(cid, bytes);
    // Waits while the disk is slower than the network. A full store does not fail the read.
    await this.#store.putMany([block]).catch((error: unknown) => this.#options.onError?.(error));
    return bytes;
  }
}

/** Names the network in the reason: the reader does not expect the block on this machine. */
function notSupplied(cid: CID, { details, cause }: CairnError): CairnError<'BLOCK_NOT_FOUND'> {
  const seconds = Math.round(Number(details.waitedMs) / 100) / 10;
  const message = `Block ${cid} is not in this store, and no node of the IPFS network supplied it within ${seconds} s.`;
  const hint = 'Check the CID, or name nodes that have the content.';
  return new CairnError('BLOCK_NOT_FOUND', message, { hint, details, cause });
}

/** Reports to other readers that the reader which fetched for them has ended. */
class LeaderEnded extends Error {}
