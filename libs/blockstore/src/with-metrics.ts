import type { Blockstore } from './blockstore.ts';

/** One finished call of a store. */
export interface BlockstoreCall {
  readonly operation: 'get' | 'putMany' | 'sync' | 'delete';
  /** Milliseconds. */
  readonly duration: number;
  /** Bytes read or taken; 0 for other operations and for failures. */
  readonly bytes: number;
  readonly error?: unknown;
}

/** Tells `onCall` about every read and write. The store behaves as before, whatever `onCall` does with it. */
export function withMetrics(store: Blockstore, onCall: (call: BlockstoreCall) => void): Blockstore {
  async function measure<T>(
    operation: BlockstoreCall['operation'],
    run: () => Promise<T>,
    bytesOf: (result: T) => number,
  ) {
    const start = performance.now();
    try {
      const result = await run();
      onCall({ operation, duration: performance.now() - start, bytes: bytesOf(result) });
      return result;
    } catch (error) {
      onCall({ operation, duration: performance.now() - start, bytes: 0, error });
      throw error;
    }
  }
  return {
    get: (cid, options) =>
      measure(
        'get',
        () => store.get(cid, options),
        (bytes) => bytes.length,
      ),
    has: (cid) => store.has(cid),
    size: (cid) => store.size(cid),
    putMany: (blocks) =>
      measure(
        'putMany',
        () => store.putMany(blocks),
        () => blocks.reduce((sum, { bytes }) => sum + bytes.length, 0),
      ),
    sync: () =>
      measure(
        'sync',
        () => store.sync(),
        () => 0,
      ),
    delete: (cid) =>
      measure(
        'delete',
        () => store.delete(cid),
        () => 0,
      ),
    keys: (options) => store.keys(options),
    stats: () => store.stats(),
    close: () => store.close(),
  };
}
