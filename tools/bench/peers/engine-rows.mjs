import { engineOverHttp } from '../evm/engines.mjs';

/** Requests of one measurement of the peer. The fastest one counts, as for the engine of the gateway. */
const runs = 9;

/**
 * Returns the rows of the engine of the gateway beside the one of anvil: one contract call of several milliseconds,
 * without the time of HTTP. A server is `{ engine }` or the `{ url }` of a node that has the contract of the workloads.
 */
export function engineRows() {
  return [
    row('storage reads and writes', 'storageLoop', 1),
    row('calls in calls', 'balancesOf', 1),
    row('transfers', 'transfers', 1),
    row('ecrecover and SHA-256', 'precompiles', 1),
    row('sums and pairings of alt_bn128', 'proofs', 0.5),
  ];
}

function row(name, workload, goal) {
  const run = ({ engine, url }) => (engine ?? engineOverHttp(url, runs)).run(workload);
  return {
    name: `engine: ${name}`,
    peer: 'anvil',
    goal,
    async check(ours, theirs) {
      const [mine, other] = [await run(ours), await run(theirs)];
      if (mine.output !== other.output)
        throw new Error(`${workload}: Cairn returns ${mine.output}, and anvil ${other.output}`);
    },
    measure: async (server) => ({ perSecond: 1000 / (await run(server)).ms }),
  };
}
