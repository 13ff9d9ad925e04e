import { AttemptFailure, type FailedAttempt, UpstreamError } from './errors.ts';
import type { Upstream } from './upstream.ts';

interface Group<T> {
  readonly value: T;
  readonly names: string[];
}

export interface QuorumOptions<T> {
  /** Number of upstreams that must agree. */
  readonly quorum: number;
  /** Text that is equal for values that agree. */
  readonly textOf: (value: T) => string;
  /** Reports whether a value is proven by itself, so that one upstream suffices. */
  readonly isSufficient?: (value: T) => boolean;
}

/**
 * Asks as many upstreams as the quorum needs, and further ones while they disagree or fail.
 * @throws UPSTREAMS_DISAGREE, UPSTREAMS_UNAVAILABLE
 */
export async function askQuorum<T>(
  upstreams: readonly Upstream[],
  { quorum, textOf, isSufficient = () => false }: QuorumOptions<T>,
  method: string,
  attempt: (upstream: Upstream) => Promise<T>,
): Promise<{ readonly value: T; readonly upstreams: readonly string[] }> {
  const groups = new Map<string, Group<T>>();
  const attempts: FailedAttempt[] = [];
  const waiting = [...upstreams];
  const ask = async (upstream: Upstream) => {
    try {
      const value = await attempt(upstream);
      const text = textOf(value);
      const group = groups.get(text) ?? { value, names: [] };
      group.names.push(upstream.name);
      groups.set(text, group);
    } catch (error) {
      if (!(error instanceof AttemptFailure)) throw error;
      attempts.push({ upstream: upstream.name, kind: error.kind, reason: error.message });
    }
  };
  for (;;) {
    const agreed =
      [...groups.values()].find(({ value }) => isSufficient(value)) ??
      [...groups.values()].find(({ names }) => names.length >= quorum);
    if (agreed !== undefined) return { value: agreed.value, upstreams: agreed.names };
    const most = Math.max(0, ...[...groups.values()].map(({ names }) => names.length));
    const asked = waiting.splice(0, quorum - most);
    if (asked.length === 0) throw quorumError(method, quorum, groups, attempts);
    await Promise.all(asked.map(ask));
  }
}

function quorumError<T>(
  method: string,
  quorum: number,
  groups: ReadonlyMap<string, { readonly value: T; readonly names: readonly string[] }>,
  attempts: readonly FailedAttempt[],
): UpstreamError {
  const sizes = [...groups.values()].map(({ names }) => names);
  if (groups.size > 1)
    return new UpstreamError('UPSTREAMS_DISAGREE', `Fewer than ${quorum} upstreams agree on ${method}.`, {
      hint: 'Check the upstreams of the network.',
      details: { groups: sizes },
      attempts,
    });
  const answered = sizes[0]?.length ?? 0;
  return new UpstreamError(
    'UPSTREAMS_UNAVAILABLE',
    `${answered} of the ${quorum} upstreams that must agree on ${method} answered.`,
    { hint: 'Check the upstreams of the network.', attempts },
  );
}
