export { readBlockFile, type SourceBlock } from './block-source.ts';
export { ChainStore, type ChainStoreOptions, type ForkChoice, openChainStore } from './chain-store.ts';
export { BlockRefusedError, GenesisError, NetworksError, SourceError } from './errors.ts';
export {
  type ConnectedNode,
  createExecutionNode,
  type ExecutionNode,
  type ExecutionNodeOptions,
} from './follow/execution-node.ts';
export { type FollowEvent, type FollowOptions, followChain } from './follow/follow-chain.ts';
export {
  type BlockRunnerModule,
  type Follower,
  type FollowerEvent,
  type FollowerOptions,
  startFollower,
} from './follow/follower.ts';
export { knownGenesisHash } from './genesis.ts';
export { type ImportOptions, type ImportProgress, importChain } from './import-chain.ts';
export {
  type HeadChoice,
  isLocalNetwork,
  isUpstreamNetwork,
  type LocalNetwork,
  loadNetworks,
  type Network,
  type UpstreamAddress,
  type UpstreamNetwork,
} from './networks.ts';
export {
  inspectSnapshot,
  type RestoreOptions,
  restoreSnapshot,
  type SnapshotInfo,
} from './snapshot/restore-snapshot.ts';
export { SnapshotError, type SnapshotErrorCode } from './snapshot/snapshot-error.ts';
export {
  type SnapshotOptions,
  type SnapshotProgress,
  type SnapshotSummary,
  writeSnapshot,
} from './snapshot/write-snapshot.ts';
