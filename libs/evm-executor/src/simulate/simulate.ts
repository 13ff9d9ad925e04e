import type { ChainSpec, Header, Hex, Json, StateReader, StateRoots } from '@cairn/block-model';
import { type CallEngine, ContractGuard, checkDeadline, type Deadline, StateCache, WorldState } from '@cairn/evm';
import { planBlocks } from './plan-blocks.ts';
import { simulateBlock } from './simulate-block.ts';
import { type Simulation, simulationLimits } from './simulation.ts';

export interface SimulateOptions {
  readonly spec: ChainSpec;
  /** Block on top of which the simulated blocks are built. */
  readonly header: Header;
  /** State after that block. */
  readonly state: StateReader;
  /** Computes state roots on top of that state. */
  readonly stateRoots: StateRoots;
  /** Hashes of the ancestors of that block. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
  readonly simulation: Simulation;
  readonly engine: CallEngine;
  /** The only contracts that the calls may read; see {@link ContractGuard}. Default: all contracts. */
  readonly contracts?: readonly Hex[] | undefined;
  /** Time at which the simulation ends with EXECUTION_TIMEOUT. Default: never. */
  readonly deadline?: Deadline | undefined;
}

/**
 * Executes hypothetical blocks on top of a block, as eth_simulateV1 does (execution-apis), with headers, roots, receipts and hashes
 * as in real blocks.
 * @returns blocks in the form of eth_getBlockByHash, each with the results of its `calls`
 * @throws SIMULATION_*, CALL_*, OVERRIDE_INVALID, EXECUTION_TIMEOUT, and the errors of the state
 */
export async function simulate(options: SimulateOptions): Promise<Json[]> {
  const { spec, header: base, simulation, blockHashes } = options;
  const world = new WorldState(StateCache.of(options.state));
  const guard = options.contracts && new ContractGuard(options.contracts);
  const simulated = new Map<bigint, Hex>([[base.number, base.hash]]);
  const results: Json[] = [];
  let parent = base;
  let gasLeft = simulationLimits.gasMax;
  for (const block of planBlocks(base, simulation.blocks)) {
    checkDeadline(options.deadline);
    const made = await simulateBlock({
      spec,
      world,
      guard,
      stateRoots: options.stateRoots,
      engine: options.engine,
      deadline: options.deadline,
      block,
      parent,
      gasLeft,
      simulation,
      blockHash: (number) => simulated.get(number) ?? (number < base.number ? blockHashes(number) : undefined),
    });
    parent = made.header;
    gasLeft -= made.header.gasUsed;
    simulated.set(parent.number, parent.hash);
    results.push(made.json);
  }
  return results;
}
