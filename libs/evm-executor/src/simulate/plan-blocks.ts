import type { Header } from '@cairn/block-model';
import { SimulationError } from '../errors.ts';
import { type SimulatedBlock, type SimulatedBlockOverrides, simulationLimits } from './simulation.ts';

/** A block whose number and time are settled. */
export interface PlannedBlock extends SimulatedBlock {
  readonly blockOverrides: SimulatedBlockOverrides & { readonly number: bigint; readonly time: bigint };
}

const secondsBetween = 12n;

/**
 * Gives every block its number and its time, and fills gaps between numbers with empty blocks.
 * @throws SIMULATION_EMPTY, SIMULATION_TOO_LONG, SIMULATION_NUMBER_INVALID, SIMULATION_TIME_INVALID
 */
export function planBlocks(
  base: Pick<Header, 'number' | 'timestamp'>,
  blocks: readonly SimulatedBlock[],
): PlannedBlock[] {
  if (blocks.length === 0)
    throw new SimulationError('SIMULATION_EMPTY', 'empty input', 'Give a block, {} at least, in blockStateCalls.');
  if (blocks.length > simulationLimits.blocksMax) throw tooLong();
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
      lastTime += secondsBetween;
      planned.push({ blockOverrides: { number: lastNumber, time: lastTime }, calls: [] });
    }
    const time = block.blockOverrides?.time ?? lastTime + secondsBetween;
    if (time <= lastTime) {
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

function tooLong(): SimulationError {
  return new SimulationError(
    'SIMULATION_TOO_LONG',
    'too many blocks',
    `Simulate ${simulationLimits.blocksMax} blocks at most, those between given numbers included.`,
  );
}
