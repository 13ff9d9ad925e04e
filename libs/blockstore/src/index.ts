export { blocksFormat } from './blocks-format.ts';
export type { CapacityOptions, Fullness } from './capacity.ts';
export * from './core/index.ts';
export { type LmdbBlockstore, type LmdbBlockstoreOptions, openLmdbBlockstore } from './lmdb-blockstore.ts';
export { type RebuiltIndex, rebuildIndex } from './rebuild-index.ts';
