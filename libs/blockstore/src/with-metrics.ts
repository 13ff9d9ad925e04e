import type { Blockstore } from './blockstore.ts';

/** One finished call of a store. */
export interface BlockstoreCall {
  readonly operation: 'get' | 'putMany' | 'sync' | 'delete';
  /** Milliseconds. */
  readonly duration: number;
  /** Bytes read or written; 0 for other operations and for failures. */
  readonly bytes: number;
  readonly error?: unknown;
}

/** Calls `onCall` after every read and write. Errors of `onCall` are ignored. */
export function withMetrics(store: Blockstore, onCall: (call: BlockstoreCall) => void): Blockstore {
  async function measure<T>(
    operation: BlockstoreCall['operation'],
    run: () => Promise<T>,
    bytesOf: (result: T) => number,
  ): Promise<T> {
    const start = performance.now();
    const report = (outcome: Pick<BlockstoreCall, 'bytes' | 'error'>) => {
      try {
        onCall({ operation, duration: performance.now() - start, ...outcome });
      } catch {
        // An error of the metric must not fail the operation.
      }
    };
    try {
      const result = await run();
      report({ bytes: bytesOf(result) });
      return result;
    } catch (error) {
      report({ bytes: 0, error });
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
    putMany: (blocks, options) =>
      measure(
        'putMany',
        () => store.putMany(blocks, options),
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
