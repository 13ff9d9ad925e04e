import type { EngineName } from '../engine/engine-name.ts';
import { callLimits } from '../execute-call.ts';
import type { CallChain } from './call-source.ts';
import type { WorkerData } from './worker-protocol.ts';

/** Defaults of {@link CallPoolOptions}. */
export const callPoolLimits = {
  timeoutMs: 5_000, // An acceptable wait for a client. 10 times the block gas takes longer in an interpreter.
  queueMax: 1_000, // Further calls would wait longer than clients do.
  queueTimeoutMs: 10_000, // Clients typically time out after this.
  memoryMibMax: 256, // Transient storage at 100 gas per slot could take gigabytes.
  startTimeoutMs: 120_000, // A worker starts in under a second on an idle machine, and took over 30 s at a load of 15 per core.
  deadlineGraceMs: 500, // An engine checks the clock after tens of milliseconds of CPU time; on a busy machine that takes longer.
  fetchTimeoutMs: 10_000, // Retries on another upstream fit into it.
  fetchRoundsMax: 256, // A run that follows a linked list in storage needs one round for each element.
  fetchingMax: 4_000, // Jobs that wait for upstreams hold no thread. Their memory is that of their requests.
  abortGraceMs: 1_000, // Starting a new worker is more expensive than letting a short call finish.
} as const;

export interface CallPoolOptions {
  /** Chains on which jobs can run, by name. */
  readonly chains: Readonly<Record<string, CallChain>>;
  /**
   * Number of concurrent jobs. Default: one per core. The pool keeps two more threads: one for light lanes without a running job,
   * for when all others are busy, and one that replaces a killed worker.
   */
  readonly workers?: number;
  /** Wall-clock limit of a job from the start of its execution. Default 5,000 ms. */
  readonly timeoutMs?: number;
  /** Maximum number of queued jobs. Default 1,000. */
  readonly queueMax?: number;
  /** Maximum time in the queue. Default 10,000 ms. */
  readonly queueTimeoutMs?: number;
  /** Time of a job beyond `timeoutMs`, over all its rounds, for queueing and for reads that are fetched. Default 10,000 ms. */
  readonly fetchTimeoutMs?: number;
  /** JavaScript heap limit of one worker. Default 256 MiB. */
  readonly memoryMibMax?: number;
  /**
   * Gas limit for execution in the calling thread. A call that exceeds it restarts in a worker. A light call is several times cheaper
   * than sending it to a worker, and blocks the thread for about one microsecond per 50 gas. Default 0: workers execute all calls.
   */
  readonly inlineGasMax?: number;
  /** Engine that executes the jobs. Default `compiled`. */
  readonly engine?: EngineName;
  /** Gas cap in block gas limits. Default 10. */
  readonly gasCapMultiplier?: number;
  /** URL of the worker's module. Default: that of this package. Tests that run from sources pass the built one. */
  readonly workerUrl?: URL;
}

/** Extracts the data that a worker needs to start. */
export function workerDataOf({
  chains,
  gasCapMultiplier = callLimits.gasCapMultiplier,
  engine = 'compiled',
}: CallPoolOptions): WorkerData {
  // Functions of a chain stay in the thread of the pool: they cannot be sent to a worker.
  const opened = Object.entries(chains).map(([name, { spec, source }]) => [name, { spec, source }] as const);
  return { chains: Object.fromEntries(opened), gasCapMultiplier, engine };
}
