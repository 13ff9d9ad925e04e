export { readBlockFile, type SourceBlock } from './block-source.ts';
export { ChainStore, type ChainStoreOptions, type ForkChoice, openChainStore } from './chain-store.ts';
export { BlockRefusedError, GenesisError, NetworksError, SourceError } from './errors.ts';
export { type ImportOptions, type ImportProgress, importChain } from './import-chain.ts';
export { loadNetworks, type Network } from './networks.ts';
