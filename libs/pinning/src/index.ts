export { CidList, cidKey } from './cid-list.ts';
export type { AccountCollectionReport, CollectionReport, CollectionState } from './collection-report.ts';
export { Collector } from './collector.ts';
export type { AccountCollectOptions, CollectOptions, CollectorOptions } from './collector-options.ts';
export type { DiscardOutcome } from './discard.ts';
export {
  CollectionBusyError,
  DagTooLargeError,
  PinModeError,
  PinNotFoundError,
  QuotaExceededError,
  UndecodableBlockError,
  UnsupportedCodecError,
} from './errors.ts';
export { linksOf } from './links.ts';
export { openLmdbPinStore } from './lmdb-pin-store.ts';
export type { CollectionLock, Pin, PinMode, PinStore, Quota, ReleasedRoot, Root, Usage } from './pin-store.ts';
export { type IndirectPin, Pinning, type PinningOptions, type PinStatus } from './pinning.ts';
export { pinsFormat } from './pins-format.ts';
export type { RootSource } from './root-source.ts';
export { type DagSize, dagBlocksMax, type VisitedBlock, visitDag, type WalkOptions, walkDag } from './walk-dag.ts';
export type { PinManyOptions, PinOptions, WritableBlocks, WriteOptions, WriteSession } from './write-session.ts';
