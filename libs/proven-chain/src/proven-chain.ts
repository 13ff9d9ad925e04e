import { bytesFromHex, type ChainSpec, type Hex } from '@cairn/block-model';
import { fetchNeeds } from '@cairn/proven-state';
import { AncestorIndex, type AncestorReadOptions, type Attestation } from './ancestor-index.ts';
import { ProvenChainError } from './errors.ts';
import { provenChainLimits } from './limits.ts';
import type { ProvenBlocks } from './proven-blocks.ts';
import type { ProvenHeads } from './proven-heads.ts';
import { ProvenReader } from './proven-reader.ts';
import { RunFetches, RunMemo } from './run-memo.ts';

export interface ProvenChainOptions {
  /** Id and fork schedule of the chain. */
  readonly spec: ChainSpec;
  readonly blocks: ProvenBlocks;
  /** Hash of the genesis block, if it is known without the upstreams. */
  readonly genesisHash?: Hex | undefined;
  /** Agreement that proves old ancestors where no upstream has a proof. Default: such blocks are refused. */
  readonly attestation?: Attestation | undefined;
  /** Read once at the start of each run, so that a run sees one chain. */
  readonly heads: () => ProvenHeads | undefined;
}

/** A chain read from untrusted nodes, for code that reads synchronously. */
export class ProvenChain {
  readonly #options: ProvenChainOptions;
  readonly #blocks: ProvenBlocks;
  readonly #heads: () => ProvenHeads | undefined;
  readonly ancestors: AncestorIndex;

  constructor(options: ProvenChainOptions) {
    const { blocks, heads, attestation } = options;
    this.#options = options;
    this.#blocks = blocks;
    this.#heads = heads;
    this.ancestors = new AncestorIndex(blocks, { attestation });
  }

  /** Reader outside of a run: it sees the heads, and throws {@link ContentMissing} for everything that is not in memory. */
  peek(): ProvenReader {
    return this.#reader(this.#heads(), new RunMemo(), new RunFetches(this.#blocks, this.ancestors, {}));
  }

  /**
   * Runs `work` over a reader until everything that it reads is fetched and verified. A run with missing reads is discarded
   * and repeated, so `work` must have no side effects.
   * @throws the error of the valid run; RUN_ROUNDS_EXCEEDED, UpstreamError, ProvenChainError, the reason of the signal
   */
  async run<T>(work: (reader: ProvenReader) => T | Promise<T>, options: AncestorReadOptions = {}): Promise<T> {
    const memo = new RunMemo();
    const fetches = new RunFetches(this.#blocks, this.ancestors, options);
    const heads = this.#heads();
    for (let round = 0; round <= provenChainLimits.roundsMax; round++) {
      const reader = this.#reader(heads, memo, fetches);
      const result = await settle(() => work(reader));
      const needs = [...reader.needs.values()].filter((entry) => entry.needs.reads > 0);
      if (reader.missing.size === 0 && needs.length === 0) {
        if ('value' in result) return result.value;
        throw result.error;
      }
      // Read after the first run only: a signal may be a getter that creates it.
      options.signal?.throwIfAborted();
      await Promise.all([
        ...[...reader.missing.values()].map((fetch) => fetch()),
        ...needs.map(({ header, needs: missing }) => {
          const block = { hash: header.hash, number: header.number, stateRoot: bytesFromHex(header.stateRoot) };
          const { pool, cache } = this.#blocks;
          return fetchNeeds(block, missing.list(), { pool, cache, signal: options.signal });
        }),
      ]);
    }
    throw new ProvenChainError(
      'RUN_ROUNDS_EXCEEDED',
      `The request needs more than ${provenChainLimits.roundsMax} rounds of upstream requests.`,
      { hint: 'Split the request, or use a network with local blocks.' },
    );
  }

  #reader(heads: ProvenHeads | undefined, memo: RunMemo, fetches: RunFetches): ProvenReader {
    const { spec, genesisHash } = this.#options;
    return new ProvenReader({ spec, genesisHash, heads, memo, fetches });
  }
}

async function settle<T>(work: () => T | Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}
