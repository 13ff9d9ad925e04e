import type { CID } from '@cairn/cid';
import { blockKey } from './block-key.ts';
import { linkAbort, untilAborted } from './linked-abort.ts';

interface Open {
  readonly bytes: Promise<Uint8Array>;
  readonly abort: (reason: unknown) => void;
  waiters: number;
}

/** Equal concurrent fetches share one. It ends when the last of them has ended. */
export class SharedFetches {
  readonly #open = new Map<string, Open>();

  /** Number of distinct blocks that are being fetched. */
  get size(): number {
    return this.#open.size;
  }

  /** Joins the fetch of a block, or starts it. @throws the reason of the signal */
  async fetch(
    cid: CID,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const key = blockKey(cid);
    const open = this.#open.get(key) ?? this.#start(key, start);
    open.waiters++;
    try {
      return await untilAborted(open.bytes, signal);
    } finally {
      open.waiters--;
      if (open.waiters === 0) {
        if (this.#open.get(key) === open) this.#open.delete(key);
        open.abort(signal?.reason ?? new Error('The fetch has no waiting caller.'));
      }
    }
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<Uint8Array>): Open {
    const { signal, abort } = linkAbort();
    const bytes = start(signal);
    const open: Open = { bytes, abort, waiters: 0 };
    this.#open.set(key, open);
    const end = () => {
      if (this.#open.get(key) === open) this.#open.delete(key);
    };
    bytes.then(end, end);
    return open;
  }
}
