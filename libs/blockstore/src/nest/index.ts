export { BLOCKSTORE, BlockstoreModule, type BlockstoreModuleOptions, COLLECTABLE } from './blockstore.module.ts';
