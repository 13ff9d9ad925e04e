export { blocksFormat } from './blocks-format.ts';
export type { BoundedBlockstore } from './bounded-blockstore.ts';
export type { CapacityOptions, Fullness } from './capacity.ts';
export * from './core/index.ts';
export { holdAllBlocks } from './hold-all-blocks.ts';
export { type LmdbBlockstoreOptions, openLmdbBlockstore } from './lmdb-blockstore.ts';
export type { ProcessChannel } from './process-channel.ts';
export { type RebuiltIndex, rebuildIndex } from './rebuild-index.ts';
export { createSharedVerifier, type SharedVerifierOptions, type VerifierGroup } from './shared-verifier.ts';
