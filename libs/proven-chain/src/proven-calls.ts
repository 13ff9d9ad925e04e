import { bytesFromHex } from '@cairn/block-model';
import { ProvenStateError, provenStateLimits, StateFetcher, type StateFetchOptions } from '@cairn/proven-state';
import type { HintedJob } from './hinted-job.ts';
import { JobHints } from './job-hints.ts';
import { fetchAncestors } from './linked-headers.ts';
import type { MissingReads, StateReads } from './proven-attempt.ts';
import type { ProvenBlocks } from './proven-blocks.ts';
import type { ProvenSourceOptions } from './proven-source.ts';

export interface ProvenCallsOptions {
  readonly blocks: ProvenBlocks;
  /** Directory of the cache of `blocks`, an `LmdbContentCache`. Each thread opens it for reading. */
  readonly directory: string;
  /** Memory of the source in each thread. Default: 32 MiB. */
  readonly memoryBytesMax?: number;
  /** URL of the module that opens the source. Default: that of this package. Tests that run from sources pass the built one. */
  readonly sourceUrl?: URL;
}

/** Request for which reads are fetched. */
export interface ProvenFetchContext {
  readonly job: HintedJob;
  /** Counts the fetches of the job, from 1. */
  readonly round: number;
  readonly signal: AbortSignal;
}

/** State of one job over its rounds. */
interface JobRounds {
  /** Accounts and slots that its runs missed. */
  reads: number;
  /** The last fetch requested nothing: the missing content is readable in this thread only. */
  isStalled: boolean;
}

/**
 * Serves executions over proven state: the source that threads open, and the fetch of what their runs miss. It has the shape of a chain of
 * `@cairn/evm-executor/pool`.
 */
export class ProvenCalls {
  readonly source: { readonly moduleUrl: string; readonly exportName: string; readonly options: ProvenSourceOptions };
  readonly #blocks: ProvenBlocks;
  readonly #fetcher: StateFetcher;
  readonly #hints: JobHints;
  readonly #jobs = new WeakMap<HintedJob, JobRounds>();

  constructor({ blocks, directory, memoryBytesMax, sourceUrl }: ProvenCallsOptions) {
    this.#blocks = blocks;
    this.#fetcher = new StateFetcher(blocks);
    this.#hints = new JobHints(blocks, this.#fetcher);
    this.source = {
      moduleUrl: (sourceUrl ?? new URL('./source.js', import.meta.url)).href,
      exportName: 'openProvenSource',
      options: { directory, ...(memoryBytesMax !== undefined && { memoryBytesMax }) },
    };
  }

  /**
   * Fetches what a run misses, and in the first round also what the job probably reads. Resolves when all threads can read it.
   * @throws STATE_READS_EXCEEDED, UpstreamError, the reason of the signal
   */
  readonly fetch = async (missing: unknown, { job, round, signal }: ProvenFetchContext): Promise<void> => {
    // An attempt of this package made it.
    const { headers, blocks, ancestors, states } = missing as MissingReads;
    const rounds = this.#roundsOf(job, states);
    const content = Promise.all([
      ...headers.map((hash) => this.#blocks.header(hash, { signal })),
      ...blocks.map((hash) => this.#blocks.block(hash, { signal })),
    ]);
    const requests = await Promise.all([
      content.then(() => headers.length + blocks.length > 0),
      ...ancestors.map((each) => this.#fetchAncestors(each, signal)),
      ...states.map((each) => this.#fetchState(each, { signal, isForced: rounds.isStalled })),
      ...(round === 1 ? [this.#fetchHints(job, content, signal), this.#fetchNamed(job, signal)] : []),
    ]);
    rounds.isStalled = !requests.includes(true);
    await this.#blocks.cache.flush();
  };

  /** Learns the reads of a job, for the next call of the same function. */
  readonly learn = (reads: unknown, job: HintedJob): void => {
    this.#hints.learn(job, reads as readonly StateReads[]);
  };

  async #fetchState({ blockHash, needs }: StateReads, options: StateFetchOptions): Promise<boolean> {
    const { number, stateRoot } = await this.#blocks.header(blockHash, options.signal && { signal: options.signal });
    return this.#fetcher.fetch({ hash: blockHash, number, stateRoot: bytesFromHex(stateRoot) }, needs, options);
  }

  async #fetchAncestors({ of, from }: MissingReads['ancestors'][number], signal: AbortSignal): Promise<boolean> {
    await fetchAncestors(this.#blocks, await this.#blocks.header(of, { signal }), from, { signal });
    return true;
  }

  /** A failed hint is no failure of the job, which requests what it needs itself. */
  async #fetchHints(job: HintedJob, content: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
    try {
      if (job.blockHash === undefined || this.#blocks.cachedHeader(job.blockHash) === undefined) await content;
      const hint = await this.#hints.of(job, { signal });
      return hint !== undefined && (await this.#fetchState(hint, { signal }));
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  async #fetchNamed(job: HintedJob, signal: AbortSignal): Promise<boolean> {
    try {
      const hint = await this.#hints.unlearned(job, signal);
      return hint !== undefined && (await this.#fetchState(hint, { signal }));
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  #roundsOf(job: HintedJob, states: readonly StateReads[]): JobRounds {
    const rounds = this.#jobs.get(job) ?? { reads: 0, isStalled: false };
    this.#jobs.set(job, rounds);
    for (const { needs } of states) for (const { slots } of needs) rounds.reads += slots.length + 1;
    if (rounds.reads > provenStateLimits.readsMax)
      throw new ProvenStateError(
        'STATE_READS_EXCEEDED',
        `The run reads more than ${provenStateLimits.readsMax} accounts and slots.`,
        { hint: 'Split the call, or use a network with local state.' },
      );
    return rounds;
  }
}
