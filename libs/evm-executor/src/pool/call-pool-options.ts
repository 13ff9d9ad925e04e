import type { EngineName } from '../engine/engine-name.ts';
import { callLimits } from '../execute-call.ts';
import type { CallChain } from './call-source.ts';
import type { WorkerData } from './worker-protocol.ts';

/** Defaults of {@link CallPoolOptions}. */
export const callPoolLimits = {
  timeoutMs: 5_000, // The longest a client should wait; 10 times the block gas takes longer in an interpreter.
  queueMax: 1_000, // More would wait longer than clients do.
  queueTimeoutMs: 10_000, // Clients give up about then.
  memoryMibMax: 256, // Storage written at 100 gas a slot would take gigabytes.
  startTimeoutMs: 30_000, // A worker starts in under a second on an idle machine.
  deadlineGraceMs: 500, // An engine looks at the clock every some tens of milliseconds of its own time; a busy machine gives it part of a core.
  abortGraceMs: 1_000, // Ending a worker costs a start-up, more than letting a short call finish.
} as const;

export interface CallPoolOptions {
  /** The chains that calls may name, by name. */
  readonly chains: Readonly<Record<string, CallChain>>;
  /**
   * Calls that run at the same time. Default: one per core. Two more threads stand by: one runs a call of a light lane
   * that holds no worker while all others are busy, one takes the place of a worker that is ended.
   */
  readonly workers?: number;
  /** Wall clock from the start of the execution. Default 5,000 ms. */
  readonly timeoutMs?: number;
  /** Calls that wait at the same time. Default 1,000. */
  readonly queueMax?: number;
  /** How long a call may wait for a worker. Default 10,000 ms. */
  readonly queueTimeoutMs?: number;
  /** JavaScript heap of one worker. Default 256 MiB. */
  readonly memoryMibMax?: number;
  /**
   * Gas that a call may use in the thread that asks for it, before it begins anew in a worker: light calls cost a
   * fraction of the hand-over, and hold up others for about a microsecond per 50 gas. Default 0: all go to the workers.
   */
  readonly inlineGasMax?: number;
  /** Engine of the calls. Default `compiled`. */
  readonly engine?: EngineName;
  /** Gas cap in block gas limits. Default 10. */
  readonly gasCapMultiplier?: number;
  /** The code of a worker. Default: that of this package; tests that run from sources name the built one. */
  readonly workerUrl?: URL;
}

/** Data that a worker of such a pool is started with. */
export function workerDataOf({
  chains,
  gasCapMultiplier = callLimits.gasCapMultiplier,
  engine = 'compiled',
}: CallPoolOptions): WorkerData {
  return { chains, gasCapMultiplier, engine };
}
