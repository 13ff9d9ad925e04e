import type { Hex } from '@cairn/block-model';

/** Hashes of the heads that a {@link HeadFeed} vouches for. */
export interface NamedHeads {
  readonly latest: Hex;
  readonly safe?: Hex;
  readonly finalized?: Hex;
}

/** Decides which branch of a chain counts: a light client, a quorum of upstreams, or a trusted node. */
export interface HeadFeed {
  /** Calls the listener with the current heads and with each change. */
  start(onHeads: (heads: NamedHeads) => void): void;
  close(): void | Promise<void>;
}
