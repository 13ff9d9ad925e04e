import type { LmdbContentReader, ProvenValues } from '@cairn/proven-state';
import type { CachedBlocks } from './cached-blocks.ts';

/** The content that the sources of one thread share. */
export interface SourceContent {
  readonly reader: LmdbContentReader;
  readonly values: ProvenValues;
  readonly blocks: CachedBlocks;
}
