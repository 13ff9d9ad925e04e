export type { Block, Blockstore, BlockstoreStats, ReadOptions } from './blockstore.ts';
