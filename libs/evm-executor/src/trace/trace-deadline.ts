import type { Deadline } from '../engine/call-engine.ts';

/** The moment when the trace of a transaction is given up: that of its options or of the whole job, whichever is earlier. */
export function deadlineOf(
  { timeoutMs }: { readonly timeoutMs?: number },
  ofJob?: Deadline | undefined,
): Deadline | undefined {
  if (timeoutMs === undefined) return ofJob;
  const own = { ...ofJob, at: performance.now() + timeoutMs, timeoutMs };
  return ofJob !== undefined && ofJob.at < own.at ? ofJob : own;
}
