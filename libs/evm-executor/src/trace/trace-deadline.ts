import type { Deadline } from '@cairn/evm';

/** Deadline of the trace of one transaction: that of its options or that of the job, whichever is earlier. */
export function traceDeadline(
  { timeoutMs }: { readonly timeoutMs?: number },
  ofJob?: Deadline | undefined,
): Deadline | undefined {
  if (timeoutMs === undefined) return ofJob;
  const own = { ...ofJob, at: performance.now() + timeoutMs, timeoutMs };
  return ofJob !== undefined && ofJob.at < own.at ? ofJob : own;
}
