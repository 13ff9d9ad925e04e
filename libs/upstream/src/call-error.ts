import { type AttemptFailure, type FailedAttempt, UpstreamError } from './errors.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** Outcome of a call without an answer. */
export interface FailedCall {
  /** Begin of the message, for example `No upstream answered`. */
  readonly summary: string;
  readonly attempts: readonly (FailedAttempt & { readonly failure: AttemptFailure })[];
  readonly upstreams: readonly Upstream[];
  /** An upstream may answer a later request, so the refusals and absences of the others are not final. */
  readonly isOpen: boolean;
}

/** The error of a call without an answer: UPSTREAMS_UNAVAILABLE while an upstream may still have the answer. */
export function errorOfCall<T>(call: UpstreamCall<T>, failed: FailedCall): UpstreamError {
  const attempts = failed.attempts.map(({ upstream, kind, reason }) => ({ upstream, kind, reason }));
  return (failed.isOpen ? undefined : finalError(call, failed, attempts)) ?? unavailable(call, failed, attempts);
}

function finalError<T>(
  { method, need, mayBeAbsent }: UpstreamCall<T>,
  failed: FailedCall,
  attempts: readonly FailedAttempt[],
): UpstreamError | undefined {
  const has = (kind: FailedAttempt['kind']) => attempts.some((attempt) => attempt.kind === kind);
  const capabilities = failed.upstreams.map((upstream) => upstream.capabilities);
  const refusal = failed.attempts.find(({ kind }) => kind === 'refused')?.failure;
  if (refusal !== undefined)
    return new UpstreamError('UPSTREAM_REFUSED', refusal.message, {
      attempts,
      rpcCode: refusal.rpcCode,
      rpcData: refusal.rpcData,
    });
  if (mayBeAbsent && has('stale') && !has('pruned') && !has('unsupported'))
    return new UpstreamError('UPSTREAM_NOT_FOUND', `No upstream has the result of ${method}.`, { attempts });
  if (need !== undefined && (has('pruned') || capabilities.some((one) => !one.reaches(need))))
    return new UpstreamError(
      'UPSTREAM_STATE_PRUNED',
      `No upstream has the ${need.kind} of block ${need.number} any more.`,
      { hint: 'Add an archive node to the upstreams of the network.', attempts },
    );
  if (has('unsupported') || capabilities.some((one) => !one.supports(method)))
    return new UpstreamError('UPSTREAM_METHOD_UNSUPPORTED', `No upstream supports ${method}.`, {
      hint: 'Add an upstream that has the method.',
      attempts,
    });
  return undefined;
}

function unavailable<T>(
  { method }: UpstreamCall<T>,
  { summary, upstreams }: FailedCall,
  attempts: readonly FailedAttempt[],
): UpstreamError {
  const reasons =
    attempts.length > 0
      ? attempts.map(({ upstream, reason }) => `${upstream}: ${reason}`)
      : upstreams.map(({ name, lastFailure = 'no answer yet' }) => `${name}: ${lastFailure}`);
  return new UpstreamError('UPSTREAMS_UNAVAILABLE', `${summary} to ${method} (${reasons.join('; ')}).`, {
    hint: 'Check the upstreams of the network.',
    attempts,
  });
}
