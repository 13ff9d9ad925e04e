import type { Header } from '@cairn/block-model';
import { SimulationError } from '../errors.ts';
import { type SimulatedBlock, type SimulatedBlockOverrides, type Simulation, simulationLimits } from './simulation.ts';

/** A block with its final number and time. */
export interface PlannedBlock extends SimulatedBlock {
  readonly blockOverrides: SimulatedBlockOverrides & { readonly number: bigint; readonly time: bigint };
}

const secondsBetween = 12n;
/** Times have 64 bits and wrap, like in geth. */
const timeAfter = (time: bigint) => BigInt.asUintN(64, time + secondsBetween);

/**
 * Assigns number and time to every block and fills gaps between numbers with empty blocks.
 * @throws SIMULATION_EMPTY, SIMULATION_TOO_LONG, SIMULATION_NUMBER_INVALID, SIMULATION_TIME_INVALID
 */
export function planBlocks(
  base: Pick<Header, 'number' | 'timestamp'>,
  blocks: readonly SimulatedBlock[],
): PlannedBlock[] {
  if (blocks.length === 0)
    throw new SimulationError('SIMULATION_EMPTY', 'empty input', 'Add a block to blockStateCalls, for example {}.');
  if (blocks.length > simulationLimits.blocksMax) throw tooLong();
  checkCounts(blocks);
  const planned: PlannedBlock[] = [];
  let { number: lastNumber, timestamp: lastTime } = base;
  for (const block of blocks) {
    const number = block.blockOverrides?.number ?? lastNumber + 1n;
    if (number <= lastNumber) {
      throw new SimulationError(
        'SIMULATION_NUMBER_INVALID',
        `block numbers must be in order: ${number} <= ${lastNumber}`,
        `Give a number above ${lastNumber}, or leave it out.`,
      );
    }
    if (number - base.number > BigInt(simulationLimits.blocksMax)) throw tooLong();
    while (lastNumber + 1n < number) {
      lastNumber += 1n;
      lastTime = timeAfter(lastTime);
      planned.push({ blockOverrides: { number: lastNumber, time: lastTime }, calls: [] });
    }
    const time = block.blockOverrides?.time ?? timeAfter(lastTime);
    // Like geth: only a time from the request is checked.
    if (block.blockOverrides?.time !== undefined && time <= lastTime) {
      throw new SimulationError(
        'SIMULATION_TIME_INVALID',
        `block timestamps must be in order: ${time} <= ${lastTime}`,
        `Give a time above ${lastTime}, or leave it out.`,
      );
    }
    planned.push({ ...block, blockOverrides: { ...block.blockOverrides, number, time } });
    lastNumber = number;
    lastTime = time;
  }
  return planned;
}

/**
 * Counts the blocks of a simulation, including those that fill gaps, and its calls.
 * @throws SIMULATION_*, like `planBlocks`
 */
export function countSimulated(
  base: Pick<Header, 'number' | 'timestamp'>,
  { blocks }: Pick<Simulation, 'blocks'>,
): { readonly blocks: number; readonly calls: number } {
  const planned = planBlocks(base, blocks);
  return { blocks: planned.length, calls: planned.reduce((sum, { calls }) => sum + calls.length, 0) };
}

function checkCounts(blocks: readonly SimulatedBlock[]): void {
  const { blockCallsMax, callsMax } = simulationLimits;
  let count = 0;
  for (const { calls } of blocks) {
    if (calls.length > blockCallsMax) {
      const message = `too many calls in block: ${calls.length} > ${blockCallsMax}`;
      throw new SimulationError('SIMULATION_TOO_LONG', message, 'Spread them over several blocks.');
    }
    count += calls.length;
    if (count > callsMax) {
      const message = `too many calls: ${count} > ${callsMax}`;
      throw new SimulationError('SIMULATION_TOO_LONG', message, 'Split them over several simulations.');
    }
  }
}

function tooLong(): SimulationError {
  return new SimulationError(
    'SIMULATION_TOO_LONG',
    'too many blocks',
    `Simulate at most ${simulationLimits.blocksMax} blocks, including those that fill gaps between numbers.`,
  );
}
