export { CHAINS, ChainStoreModule, type ChainStoreModuleOptions, type Chains } from './chain-store.module.ts';
