import type { Header } from '@cairn/block-model';

/** Verified heads of a chain, from a light client, a quorum or a trusted node. */
export interface ProvenHeads {
  readonly latest: Header;
  readonly safe?: Header;
  readonly finalized?: Header;
}
