import type { Blockstore } from '@cairn/blockstore';
import type { QuotaContext } from './write-quota.ts';
import type { NameCount } from './written-blocks.ts';

/** State that all write sessions of one `Pinning` share. */
export interface WriteSessionContext extends QuotaContext {
  readonly blocks: Blockstore;
  readonly names: NameCount;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
