export { type ChainStoreUnderTest, describeChainStore, type TestedChainStore } from './describe-chain-store.ts';
