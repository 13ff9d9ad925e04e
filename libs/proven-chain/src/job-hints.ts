import { type Block, bytesFromHex, type Hex, hexFromBytes, senderOf } from '@cairn/block-model';
import { type AccountNeed, LearnedReads, type StateFetcher } from '@cairn/proven-state';
import { accessListHint } from './access-list-hint.ts';
import { callsOf, certainNeeds, type HintedCall, type HintedJob, learnedCall } from './hinted-job.ts';
import type { StateReads } from './proven-attempt.ts';
import type { ProvenBlocks, ReadOptions } from './proven-blocks.ts';

/** Messages of one simulation that are looked at. */
const callsMax = 64;

/** Guesses the reads of jobs, so that they need few rounds. A wrong guess costs an unused proof, never a wrong result. */
export class JobHints {
  readonly #blocks: ProvenBlocks;
  readonly #fetcher: StateFetcher;
  readonly #learned = new LearnedReads();

  constructor(blocks: ProvenBlocks, fetcher: StateFetcher) {
    this.#blocks = blocks;
    this.#fetcher = fetcher;
  }

  /** Reads that a job certainly or probably makes, in the state of one block; `undefined` for a job without hints. */
  async of(job: HintedJob, options: ReadOptions): Promise<StateReads | undefined> {
    if (job.blockHash === undefined || job.raw !== undefined) return undefined;
    const calls = callsOf(job).slice(0, callsMax);
    if (job.index === undefined && calls.length > 0) {
      const { miner } = await this.#blocks.header(job.blockHash, options);
      return {
        blockHash: job.blockHash,
        needs: [...accountOf(miner), ...calls.flatMap((call) => this.#needsOf(call))],
      };
    }
    if (job.kind !== 'traceBlock' && job.kind !== 'traceCall' && job.kind !== 'executionWitness') return undefined;
    const block = await this.#blocks.block(job.blockHash, options);
    const parent = await this.#blocks.header(block.header.parentHash, options);
    const needs = [...(await callsIn(block)), ...calls].flatMap((call) => this.#needsOf(call));
    return { blockHash: parent.hash, needs: [...accountOf(block.header.miner), ...needs] };
  }

  /** Reads of a message that nothing is learned for, as an upstream names them. */
  async unlearned(job: HintedJob, signal: AbortSignal): Promise<StateReads | undefined> {
    const { call, blockHash, index } = job;
    if (call === undefined || blockHash === undefined || index !== undefined) return undefined;
    const learned = this.#learnedCall(call);
    if (learned === undefined || learned.input.length < 4 || this.#learned.predict(learned).length > 0)
      return undefined;
    const needs = await accessListHint(this.#blocks.pool, call, blockHash, signal);
    return needs.length === 0 ? undefined : { blockHash, needs };
  }

  /** Learns the reads of a job with one message. */
  learn({ call, blockHash }: HintedJob, reads: readonly StateReads[]): void {
    const own = reads.find((state) => state.blockHash === blockHash);
    const learned = call && this.#learnedCall(call);
    if (own === undefined || learned === undefined || isCovered(own.needs, this.#learned.predict(learned))) return;
    this.#learned.learn(learned, own.needs);
  }

  #needsOf(call: HintedCall): readonly AccountNeed[] {
    const learned = this.#learnedCall(call);
    return [...certainNeeds(call), ...(learned === undefined ? [] : this.#learned.predict(learned))];
  }

  #learnedCall(call: HintedCall) {
    return learnedCall(call, (address) => this.#fetcher.codeHashOf(address));
  }
}

function accountOf(address: Hex): readonly AccountNeed[] {
  return [{ address: bytesFromHex(address), slots: [], needsCode: false }];
}

async function callsIn({ transactions }: Block): Promise<readonly HintedCall[]> {
  const calls: HintedCall[] = [];
  for (const [i, transaction] of transactions.entries()) {
    // The recovery of a sender takes up to a millisecond.
    if (i % 8 === 7) await new Promise((resolve) => setImmediate(resolve));
    const { to, input, accessList } = transaction;
    calls.push({ from: senderOf(transaction), to: to ?? undefined, data: input, accessList });
  }
  return calls;
}

/** Reports whether a list of reads has all reads of another one. */
function isCovered(reads: readonly AccountNeed[], by: readonly AccountNeed[]): boolean {
  const known = new Map(by.map(({ address, slots }) => [hexFromBytes(address), new Set(slots.map(hexFromBytes))]));
  return reads.every(({ address, slots }) => {
    const found = known.get(hexFromBytes(address));
    return found !== undefined && slots.every((slot) => found.has(hexFromBytes(slot)));
  });
}
