import type { Dependency } from '@cairn/service-kit';
import type { Networks } from './networks.ts';

/**
 * Describes for /readyz how far each network is behind its source. A lag beyond `lagMax` makes the service unavailable, so that
 * a balancer prefers other replicas until this one has caught up.
 */
export function lagOf(heads: ReturnType<Networks['heads']>, lagMax = Number.POSITIVE_INFINITY): readonly Dependency[] {
  return heads.flatMap(({ network, head, lag }) => {
    if (lag === undefined) return [];
    const behind = `at block ${head}, ${lag} ${lag === 1 ? 'block' : 'blocks'} behind its source`;
    if (lag > lagMax)
      return {
        name: `network ${network}`,
        problem: `the network ${network} is ${behind}; at most ${lagMax} are allowed`,
      };
    return { name: `network ${network}`, warning: lag === 0 ? undefined : behind };
  });
}
