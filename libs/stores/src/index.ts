export { type BlockStoreOptions, openStores, type StoreGroup, type StoreSettings, type Stores } from './open-stores.ts';
