export { BLOCKSTORE, BlockstoreModule, type BlockstoreModuleOptions } from './blockstore.module.ts';
