import { type Blocks, pushedBytes } from './blocks.ts';
import { op } from './opcodes/index.ts';

/** Consecutive basic blocks that become one function. */
export interface Region {
  /** Index of the first block, and one past the last one. */
  readonly first: number;
  readonly end: number;
}

/**
 * Bounds of a region, in blocks. V8 compiles each function when it first runs, and compiles large functions badly. Smaller regions
 * than the minimum cut more loops.
 */
const blocksMin = 192;
const blocksMax = 512;
/** Weight of a backward jump: it closes a loop, which runs often. */
const backWeight = 8;

/** Cuts the blocks of a code into regions, at the offsets that the fewest jumps cross. */
export function cutRegions(code: Uint8Array, blocks: Blocks): Region[] {
  const count = blocks.list.length;
  const crossings = countCrossings(code, blocks);
  const regions: Region[] = [];
  let first = 0;
  while (count - first > blocksMax) {
    let end = first + blocksMin;
    for (let at = end; at <= first + blocksMax; at++)
      if ((crossings[at] as number) <= (crossings[end] as number)) end = at;
    regions.push({ first, end });
    first = end;
  }
  regions.push({ first, end: count });
  return regions;
}

/** Counts, for each block, the known jumps that cross its start, weighted. */
function countCrossings(code: Uint8Array, { list, at, destinations }: Blocks): Int32Array {
  const changes = new Int32Array(list.length + 1);
  for (const [index, { start, end }] of list.entries()) {
    const target = constantTarget(code, start, end, destinations);
    if (target === undefined) continue;
    const other = at[target] as number;
    const weight = other <= index ? backWeight : 1;
    const [low, high] = other <= index ? [other, index] : [index, other];
    changes[low + 1] = (changes[low + 1] as number) + weight;
    changes[high + 1] = (changes[high + 1] as number) - weight;
  }
  for (let index = 1; index < changes.length; index++)
    changes[index] = (changes[index] as number) + (changes[index - 1] as number);
  return changes;
}

/** Target of a block that ends with PUSH1 or PUSH2 and a jump; `undefined` for other blocks. */
function constantTarget(code: Uint8Array, start: number, end: number, destinations: Uint8Array): number | undefined {
  const last = code[end - 1];
  if (last !== op.JUMP && last !== op.JUMPI) return undefined;
  for (let pc = start; pc < end; ) {
    const pushed = pushedBytes(code[pc] as number);
    const next = pc + 1 + pushed;
    if (next === end - 1 && pushed > 0 && pushed <= 2) {
      const target =
        pushed === 1 ? (code[pc + 1] as number) : ((code[pc + 1] as number) << 8) | (code[pc + 2] as number);
      return destinations[target] === 1 ? target : undefined;
    }
    pc = next;
  }
  return undefined;
}
