export type { Block, Blockstore, BlockstoreStats, ReadOptions } from './blockstore.ts';
export { BlockNotFoundError, BlockTooLargeError } from './errors.ts';
export { limits } from './limits.ts';
export { type LmdbBlockstoreOptions, openLmdbBlockstore } from './lmdb-blockstore.ts';
export { createMemoryBlockstore } from './memory-blockstore.ts';
export { type CacheOptions, withCache } from './with-cache.ts';
export { type BlockstoreCall, withMetrics } from './with-metrics.ts';
export { withVerification } from './with-verification.ts';
