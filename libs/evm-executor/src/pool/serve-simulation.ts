import type { CallEngine } from '@cairn/evm';
import { systemAddress } from '../block/system-calls.ts';
import { StateUnavailableError } from '../errors.ts';
import { simulate } from '../simulate/simulate.ts';
import type { ResultOf, SimulateJob } from './execution-job.ts';
import type { OpenChain } from './open-chain.ts';

/** Executes hypothetical blocks on top of a block. @throws STATE_UNAVAILABLE, and the errors of {@link simulate} */
export async function serveSimulation(
  { chain, blockHash, simulation, contracts }: SimulateJob,
  { source }: OpenChain,
  place: Omit<Parameters<typeof simulate>[0], 'stateRoots' | 'simulation'>,
): Promise<ResultOf<SimulateJob>> {
  const stateRoots = source.stateRoots?.(blockHash);
  if (stateRoots === undefined) throw new StateUnavailableError(chain, blockHash);
  const { engine, systemCallGas } = countingSystemCallGas(place.engine);
  const blocks = await simulate({ ...place, engine, stateRoots, simulation, contracts });
  const gasUsed = blocks.reduce((sum, block) => sum + BigInt(String(block.gasUsed)), systemCallGas());
  return { kind: 'json', json: JSON.stringify(blocks), gasUsed };
}

/** Counts the gas of system calls. No header includes it, and overrides can set any code at their addresses. */
function countingSystemCallGas(engine: CallEngine): { readonly engine: CallEngine; systemCallGas(): bigint } {
  let gas = 0n;
  return {
    engine: {
      name: engine.name,
      async run(message) {
        const outcome = await engine.run(message);
        if (message.sender === systemAddress) gas += outcome.gasUsed;
        return outcome;
      },
    },
    systemCallGas: () => gas,
  };
}
