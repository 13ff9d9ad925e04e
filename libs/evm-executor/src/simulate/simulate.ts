import type { ChainSpec, Header, Hex, Json, StateReader, StateRoots } from '@cairn/block-model';
import { ContractGuard } from '../contract-guard.ts';
import { type CallEngine, checkDeadline, type Deadline } from '../engine/call-engine.ts';
import { StateCache } from '../state-cache.ts';
import { WorldState } from '../world-state.ts';
import { planBlocks } from './plan-blocks.ts';
import { simulateBlock } from './simulate-block.ts';
import { type Simulation, simulationLimits } from './simulation.ts';

export interface SimulateOptions {
  readonly spec: ChainSpec;
  /** The block that the simulated ones follow. */
  readonly header: Header;
  /** The state after that block. */
  readonly state: StateReader;
  /** Roots of states that follow that state. */
  readonly stateRoots: StateRoots;
  /** Hashes of that block's ancestors. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
  readonly simulation: Simulation;
  readonly engine: CallEngine;
  /** The only contracts that the transactions may read; see {@link ContractGuard}. Default: all. */
  readonly contracts?: readonly Hex[] | undefined;
  /** When the simulation is given up. Default: never. */
  readonly deadline?: Deadline | undefined;
}

/**
 * Runs blocks that might follow a block, as eth_simulateV1 does (execution-apis): with headers, roots, receipts and
 * hashes as if they had been made.
 * @returns the blocks as eth_getBlockByHash tells them, each with the results of its `calls`
 * @throws SIMULATION_*, CALL_*, OVERRIDE_INVALID, EXECUTION_TIMEOUT, and what the state throws
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
