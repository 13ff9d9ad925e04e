import type { CID } from '@cairn/cid';

/** Entry of a wantlist. */
export interface WantEntry {
  readonly cid: CID;
  /** Higher values are answered first. */
  readonly priority: number;
  readonly isCancel: boolean;
  readonly type: 'block' | 'have';
  /** Requests an answer also when the block is absent. */
  readonly sendDontHave: boolean;
}

/** Answer about a block without its bytes. */
export interface Presence {
  readonly cid: CID;
  readonly has: boolean;
}

/** Bytes of a block with the prefix of its CID: version, codec, hash function and digest length. */
export interface Payload {
  readonly prefix: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Message of bitswap 1.2.0 (https://specs.ipfs.tech/bitswap-protocol/). */
export interface BitswapMessage {
  /** Replaces the wantlist of the sender instead of changing it. */
  readonly isFull: boolean;
  readonly wants: readonly WantEntry[];
  readonly payloads: readonly Payload[];
  readonly presences: readonly Presence[];
  /** Bytes of blocks that wait at the sender. */
  readonly pendingBytes: number;
}
