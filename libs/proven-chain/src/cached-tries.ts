import {
  type AccountChange,
  bytesFromHex,
  type Hex,
  hexFromBytes,
  type StateReader,
  type StateRoots,
  type StateTrie,
  stateRootsOver,
  type WitnessScope,
  witnessNodes,
} from '@cairn/block-model';
import type { ContentReader } from '@cairn/proven-state';
import type { TrieNodeStore } from '@cairn/trie';
import { ProvenChainError } from './errors.ts';

export interface CachedTriesOptions {
  readonly stateRoot: Hex;
  readonly cache: ContentReader;
  /** Reads of the same state. They throw or record what is missing. */
  readonly state: StateReader;
  /** Reports whether the reads of the run were available so far. If not, no root is computed, since the result is discarded. */
  readonly isComplete: () => boolean;
}

/** Computations over the tries of one state, whose nodes are in the content cache. */
export class CachedTries {
  readonly #options: CachedTriesOptions;
  readonly #trie: StateTrie;

  constructor(options: CachedTriesOptions) {
    this.#options = options;
    this.#trie = {
      root: bytesFromHex(options.stateRoot),
      nodes: new FreshNodes(options.cache),
      storageRootOf: (address) => options.state.getAccount(address)?.storageRoot,
    };
  }

  /** @throws CONTENT_MISSING, STATE_NODE_UNPROVEN */
  roots(): StateRoots {
    const roots = stateRootsOver(this.#trie);
    return {
      after: async (changes) => {
        this.#readBefore(changes);
        return this.#options.isComplete() ? roots.after(changes) : new Uint8Array(32);
      },
    };
  }

  /** @throws CONTENT_MISSING, STATE_NODE_UNPROVEN */
  async witness({ reads, changes }: WitnessScope): Promise<readonly Uint8Array[]> {
    for (const [address, slots] of reads) this.#read(bytesFromHex(address), [...slots].map(bytesFromHex));
    this.#readBefore(changes);
    return this.#options.isComplete() ? witnessNodes(this.#trie, { reads, changes }) : [];
  }

  /** Reads what changes, so that the paths to it are cached. */
  #readBefore(changes: readonly AccountChange[]): void {
    for (const { address, slots } of changes)
      this.#read(
        address,
        slots.map(([slot]) => slot),
      );
  }

  #read(address: Uint8Array, slots: readonly Uint8Array[]): void {
    const { state } = this.#options;
    state.getAccount(address);
    for (const slot of slots) state.getStorage(address, slot);
  }
}

/** Nodes of the cache, with new nodes in memory. */
class FreshNodes implements TrieNodeStore {
  readonly #cache: ContentReader;
  readonly #fresh = new Map<string, Uint8Array>();

  constructor(cache: ContentReader) {
    this.#cache = cache;
  }

  load(hash: Uint8Array): Uint8Array {
    const node = this.#fresh.get(hexFromBytes(hash)) ?? this.#cache.get(hash);
    if (node !== undefined) return node;
    // The paths to all changed keys are cached. This node is beside such a path.
    throw new ProvenChainError(
      'STATE_NODE_UNPROVEN',
      `The state root after the changes needs the trie node ${hexFromBytes(hash)}, which no proof contains.`,
      { hint: 'A change removes the last but one entry below a node. Avoid it, or use a network with local state.' },
    );
  }

  save(hash: Uint8Array, node: Uint8Array): void {
    this.#fresh.set(hexFromBytes(hash), node);
  }
}
