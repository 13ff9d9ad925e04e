import type { CID } from '@cairn/cid';
import type { ServingPolicy } from './ports.ts';

/** Serves blocks that all policies allow. */
export function allPolicies(policies: readonly ServingPolicy[]): ServingPolicy {
  return {
    async mayServe(cids, peer) {
      const decisions = await Promise.all(policies.map((policy) => policy.mayServe(cids, peer)));
      return cids.map((_, at) => decisions.every((list) => list[at] === true));
    },
  };
}

/** Serves no block. */
export const serveNothing: ServingPolicy = { mayServe: (cids: readonly CID[]) => cids.map(() => false) };
