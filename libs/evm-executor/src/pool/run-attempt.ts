import { type Deadline, GasBudgetExceeded } from '@cairn/evm';
import type { SourceAttempt } from './call-source.ts';
import type { ExecutionJob, ResultOf } from './execution-job.ts';
import type { OpenChain } from './open-chain.ts';
import { ReadsMissing } from './resumable-pool.ts';

/**
 * Milliseconds for which a run continues after its first missing read, to find further ones. Empty values can make code loop for
 * ever. A longer run may continue for twice its time until then, so that the number of rounds of a long trace is logarithmic.
 */
const discoveryMs = 100;

/**
 * Runs a job over an attempt of the source. The attempt has its own readers, so that empty values of missing reads enter no cache.
 * @throws GasBudgetExceeded, ReadsMissing if a read was missing, else the errors of the run
 */
export async function runAttempt(
  { chain, source }: OpenChain,
  deadline: Deadline | undefined,
  run: (chain: OpenChain, deadline: Deadline | undefined) => Promise<ResultOf<ExecutionJob>>,
): Promise<{ readonly result: ResultOf<ExecutionJob>; readonly reads: unknown }> {
  const attempt = source.attempt?.();
  const open: OpenChain = {
    chain,
    source: attempt?.source ?? source,
    blocks: new Map(),
    last: undefined,
    generation: undefined,
  };
  if (attempt === undefined) return { result: await run(open, deadline), reads: undefined };
  try {
    const result = await run(open, discoveryDeadline(attempt, deadline));
    if (attempt.isComplete) return { result, reads: attempt.reads() };
  } catch (error) {
    // A worker, without the budget, finds the reads behind it in the same round.
    if (attempt.isComplete || error instanceof GasBudgetExceeded) throw error;
  }
  throw new ReadsMissing(attempt.missing());
}

/** Ends a run that is known to be incomplete. Without a deadline, the gas budget ends the run. */
function discoveryDeadline(attempt: SourceAttempt, deadline: Deadline | undefined): Deadline | undefined {
  if (deadline === undefined) return undefined;
  const startedAt = performance.now();
  let endsAt: number | undefined;
  return {
    ...deadline,
    isStopped() {
      if (deadline.isStopped?.() === true) return true;
      if (attempt.isComplete) return false;
      const now = performance.now();
      endsAt ??= now + Math.max(discoveryMs, 2 * (now - startedAt));
      return now > endsAt;
    },
  };
}
