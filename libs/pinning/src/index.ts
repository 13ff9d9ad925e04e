export {
  DagTooLargeError,
  PinModeError,
  PinNotFoundError,
  UndecodableBlockError,
  UnsupportedCodecError,
} from './errors.ts';
export { linksOf } from './links.ts';
export { openLmdbPinStore } from './lmdb-pin-store.ts';
export type { Pin, PinMode, PinStore, Usage } from './pin-store.ts';
export { Pinning, type PinningOptions, type PinOptions } from './pinning.ts';
export { type DagRecorder, recordDag } from './record-dag.ts';
export { type DagSize, dagBlocksMax, type WalkOptions, walkDag } from './walk-dag.ts';
export type { SessionPinOptions, WritableBlocks, WriteOptions, WriteSession } from './write-session.ts';
