import {
  type Block,
  bytesFromHex,
  type Header,
  type Hex,
  type StateReader,
  type StateRoots,
  type WitnessScope,
} from '@cairn/block-model';
import { type AccountNeed, ContentMissingError, ProvenState, StateNeeds } from '@cairn/proven-state';
import { CachedTries } from './cached-tries.ts';
import type { SourceContent } from './source-content.ts';

/** Reads of one run that are not cached. Survives structured clone. */
export interface MissingReads {
  readonly headers: readonly Hex[];
  readonly blocks: readonly Hex[];
  /** Ancestors of a block down to a height, for BLOCKHASH. */
  readonly ancestors: readonly { readonly of: Hex; readonly from: bigint }[];
  readonly states: readonly StateReads[];
}

/** Reads of the state after a block. */
export interface StateReads {
  readonly blockHash: Hex;
  readonly needs: readonly AccountNeed[];
}

interface AttemptState {
  readonly needs: StateNeeds;
  readonly state: ProvenState;
}

/** Reads of one run over the content cache. What is missing is recorded, and the run continues where that is possible. */
export class ProvenAttempt {
  readonly #content: SourceContent;
  readonly #headers = new Set<Hex>();
  readonly #blocks = new Set<Hex>();
  readonly #ancestors = new Map<Hex, bigint>();
  readonly #states = new Map<Hex, AttemptState>();
  readonly source: AttemptSource;

  constructor(content: SourceContent) {
    this.#content = content;
    this.source = new AttemptSource(this);
  }

  get isComplete(): boolean {
    if (this.#headers.size > 0 || this.#blocks.size > 0 || this.#ancestors.size > 0) return false;
    for (const { needs } of this.#states.values()) if (needs.reads > 0) return false;
    return true;
  }

  missing(): MissingReads {
    return {
      headers: [...this.#headers],
      blocks: [...this.#blocks],
      ancestors: [...this.#ancestors].map(([of, from]) => ({ of, from })),
      states: this.#reads(({ needs }) => needs.list()),
    };
  }

  reads(): readonly StateReads[] {
    return this.#reads(({ state }) => state.reads());
  }

  /** @throws CONTENT_MISSING after recording it */
  header(hash: Hex): Header {
    const header = this.#content.blocks.header(hash);
    if (header !== undefined) return header;
    this.#headers.add(hash);
    throw new ContentMissingError('header', bytesFromHex(hash));
  }

  /** @throws CONTENT_MISSING after recording it */
  block(hash: Hex): Block {
    const block = this.#content.blocks.block(hash);
    if (block !== undefined) return block;
    this.#blocks.add(hash);
    throw new ContentMissingError('block', bytesFromHex(hash));
  }

  stateAt(hash: Hex): StateReader {
    const known = this.#states.get(hash);
    if (known !== undefined) return known.state;
    const stateRoot = bytesFromHex(this.header(hash).stateRoot);
    const needs = new StateNeeds();
    const { reader: cache, values } = this.#content;
    const state = new ProvenState({ stateRoot, cache, values, needs, isProbe: true });
    this.#states.set(hash, { needs, state });
    return state;
  }

  /** Computations over the tries of a state. */
  tries(hash: Hex): CachedTries {
    const { stateRoot } = this.header(hash);
    const { reader: cache } = this.#content;
    return new CachedTries({ stateRoot, cache, state: this.stateAt(hash), isComplete: () => this.isComplete });
  }

  /** Hash of an ancestor; `undefined` after recording a missing one. */
  ancestorHash(header: Header, number: bigint): Hex | undefined {
    let at = header;
    while (at.number > number + 1n) {
      const parent = this.#content.blocks.header(at.parentHash);
      if (parent === undefined) {
        const from = this.#ancestors.get(header.hash);
        if (from === undefined || number < from) this.#ancestors.set(header.hash, number);
        return undefined;
      }
      at = parent;
    }
    return at.parentHash;
  }

  #reads(readsOf: (state: AttemptState) => readonly AccountNeed[]): StateReads[] {
    return [...this.#states]
      .map(([blockHash, state]) => ({ blockHash, needs: readsOf(state) }))
      .filter(({ needs }) => needs.length > 0);
  }
}

/** The reads of an attempt, in the form of a source. */
export class AttemptSource {
  readonly #attempt: ProvenAttempt;

  constructor(attempt: ProvenAttempt) {
    this.#attempt = attempt;
  }

  header(hash: Hex): Header {
    return this.#attempt.header(hash);
  }

  block(hash: Hex): Block {
    return this.#attempt.block(hash);
  }

  stateAt(hash: Hex): StateReader {
    return this.#attempt.stateAt(hash);
  }

  stateRoots(hash: Hex): StateRoots {
    return this.#attempt.tries(hash).roots();
  }

  witnessNodes(hash: Hex, scope: WitnessScope): Promise<readonly Uint8Array[]> {
    return this.#attempt.tries(hash).witness(scope);
  }

  ancestorHash(header: Header, number: bigint): Hex | undefined {
    return this.#attempt.ancestorHash(header, number);
  }
}
