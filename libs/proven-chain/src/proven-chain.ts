import { bytesFromHex } from '@cairn/block-model';
import { fetchNeeds } from '@cairn/proven-state';
import { AncestorIndex } from './ancestor-index.ts';
import { ProvenChainError } from './errors.ts';
import { provenChainLimits } from './limits.ts';
import type { ProvenBlocks, ReadOptions } from './proven-blocks.ts';
import type { ProvenHeads } from './proven-heads.ts';
import { ProvenReader } from './proven-reader.ts';
import { RunFetches, RunMemo } from './run-memo.ts';

export interface ProvenChainOptions {
  readonly chainId: bigint;
  readonly blocks: ProvenBlocks;
  /** Read once at the start of each run, so that a run sees one chain. */
  readonly heads: () => ProvenHeads;
}

/** A chain read from untrusted nodes, for code that reads synchronously. */
export class ProvenChain {
  readonly #chainId: bigint;
  readonly #blocks: ProvenBlocks;
  readonly #heads: () => ProvenHeads;
  readonly ancestors: AncestorIndex;

  constructor({ chainId, blocks, heads }: ProvenChainOptions) {
    this.#chainId = chainId;
    this.#blocks = blocks;
    this.#heads = heads;
    this.ancestors = new AncestorIndex(blocks);
  }

  /**
   * Runs `work` over a reader until everything that it reads is fetched and verified. A run with missing reads is discarded
   * and repeated, so `work` must have no side effects.
   * @throws the error of the valid run; RUN_ROUNDS_EXCEEDED, UpstreamError, ProvenChainError, the reason of the signal
   */
  async run<T>(work: (reader: ProvenReader) => T | Promise<T>, options: ReadOptions = {}): Promise<T> {
    const memo = new RunMemo();
    const fetches = new RunFetches(this.#blocks, this.ancestors, options);
    const heads = this.#heads();
    for (let round = 0; round <= provenChainLimits.roundsMax; round++) {
      options.signal?.throwIfAborted();
      const reader = new ProvenReader({ chainId: this.#chainId, heads, memo, fetches });
      const result = await settle(() => work(reader));
      const needs = [...reader.needs.values()].filter((entry) => entry.needs.reads > 0);
      if (reader.missing.size === 0 && needs.length === 0) {
        if ('value' in result) return result.value;
        throw result.error;
      }
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
}

async function settle<T>(work: () => T | Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}
