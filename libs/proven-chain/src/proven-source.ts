import {
  type Block,
  bytesFromHex,
  type Header,
  type Hex,
  type StateReader,
  type StateRoots,
  type WitnessScope,
} from '@cairn/block-model';
import { ContentMissingError, LmdbContentReader, ProvenValues, StrictState } from '@cairn/proven-state';
import { CachedBlocks } from './cached-blocks.ts';
import { CachedTries } from './cached-tries.ts';
import { provenChainLimits } from './limits.ts';
import { ProvenAttempt } from './proven-attempt.ts';
import type { SourceContent } from './source-content.ts';

export interface ProvenSourceOptions {
  /** Directory of an `LmdbContentCache`. */
  readonly directory: string;
  /** Limit of the memory for content, values and decoded blocks, in each thread. Default: 32 MiB. */
  readonly memoryBytesMax?: number;
}

/**
 * Chain in the content cache, for threads that execute calls. Reads of content that is not cached throw CONTENT_MISSING; a
 * {@link ProvenAttempt} records them instead.
 */
export class ProvenSource {
  readonly #content: SourceContent;

  constructor(content: SourceContent) {
    this.#content = content;
  }

  /** @throws CONTENT_MISSING */
  header(hash: Hex): Header {
    const header = this.#content.blocks.header(hash);
    if (header === undefined) throw new ContentMissingError('header', bytesFromHex(hash));
    return header;
  }

  /** @throws CONTENT_MISSING */
  block(hash: Hex): Block {
    const block = this.#content.blocks.block(hash);
    if (block === undefined) throw new ContentMissingError('block', bytesFromHex(hash));
    return block;
  }

  /** @throws CONTENT_MISSING */
  stateAt(hash: Hex): StateReader {
    const { reader, values } = this.#content;
    return new StrictState({ stateRoot: bytesFromHex(this.header(hash).stateRoot), cache: reader, values });
  }

  /** Computes state roots on top of a block. @throws CONTENT_MISSING */
  stateRoots(hash: Hex): StateRoots {
    return this.#tries(hash).roots();
  }

  /** Trie nodes that a child block needs. @throws CONTENT_MISSING, STATE_NODE_UNPROVEN */
  witnessNodes(hash: Hex, scope: WitnessScope): Promise<readonly Uint8Array[]> {
    return this.#tries(hash).witness(scope);
  }

  #tries(hash: Hex): CachedTries {
    const { stateRoot } = this.header(hash);
    const { reader: cache } = this.#content;
    return new CachedTries({ stateRoot, cache, state: this.stateAt(hash), isComplete: () => true });
  }

  /** Hash of an ancestor by parent links. @throws CONTENT_MISSING */
  ancestorHash(header: Header, number: bigint): Hex {
    let at = header;
    while (at.number > number + 1n) at = this.header(at.parentHash);
    return at.parentHash;
  }

  attempt(): ProvenAttempt {
    // Content that was fetched for this attempt is read from now on.
    this.#content.reader.refresh();
    return new ProvenAttempt(this.#content);
  }

  close(): Promise<void> {
    return this.#content.reader.close();
  }
}

/** Opens the content cache for reading, in any thread. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openProvenSource({
  directory,
  memoryBytesMax = provenChainLimits.sourceMemoryMax,
}: ProvenSourceOptions): Promise<ProvenSource> {
  const reader = await LmdbContentReader.open({ directory, memoryBytesMax: memoryBytesMax / 4 });
  return new ProvenSource({
    reader,
    values: new ProvenValues({ bytesMax: memoryBytesMax / 2 }),
    blocks: new CachedBlocks(reader, memoryBytesMax / 4),
  });
}
