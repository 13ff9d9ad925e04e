// Everything except the LMDB adapter. Imports no Node module, so that browsers can load it.
export type { BatchReads, Block, Blockstore, BlockstoreStats, PutOptions, ReadOptions } from '../blockstore.ts';
export { BufferPool, type BufferPoolOptions } from '../buffer-pool.ts';
export type { Claim, ClaimOptions, Claims, DiscardResult } from '../claims.ts';
export type { Collectable, CollectableBlockstore, Hold, SweepOptions, SweepStep } from '../collectable.ts';
export {
  BlockNotFoundError,
  BlockTooLargeError,
  CycleOverError,
  HoldLostError,
  QuarantinedBlockError,
} from '../errors.ts';
export {
  createHashedBlock,
  createHashedBlockInBackground,
  createVerifiedBlock,
  isHashedBlock,
} from '../hashed-block.ts';
export { limits } from '../limits.ts';
export { createMemoryBlockstore } from '../memory-blockstore.ts';
export { type ScrubOptions, type ScrubReport, scrub } from '../scrub.ts';
export { runInSlices, runSync, Slices } from '../slices.ts';
export { compareByBytes, sortInSlices } from '../sort-in-slices.ts';
export { type CacheOptions, withCache } from '../with-cache.ts';
export { type BlockstoreCall, withMetrics } from '../with-metrics.ts';
export { type VerificationOptions, withVerification } from '../with-verification.ts';
export { type WaitForBlockOptions, type WaitOptions, waitForBlock, waitForPresence, withWait } from '../with-wait.ts';
export { withYielding } from '../with-yielding.ts';
