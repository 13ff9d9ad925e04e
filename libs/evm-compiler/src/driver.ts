import { elsewhere } from './exits.ts';
import { header } from './layout.ts';
import type { Region } from './regions.ts';
import { InstructionWriter } from './wasm/instruction-writer.ts';
import { type FunctionCode, i32 } from './wasm/module.ts';

/** Locals. The first is the parameter: the number of the block to begin with. */
const next = 0;
const region = 1;
const result = 2;

/**
 * The exported function of a code with several regions: runs the region of a block, then the regions that it leaves for,
 * until one stops.
 * @param starts code offsets at which the regions start
 * @param firstFunction index of the function of the first region
 */
export function writeDriver(
  regions: readonly Region[],
  starts: readonly number[],
  firstFunction: number,
): FunctionCode {
  const writer = new InstructionWriter(1024);
  const firstBlocks = regions.map(({ first }) => first);
  const findBlock = () => writeSearch(writer, () => writer.localGet(next), firstBlocks);
  const loadTarget = () => {
    writer.i32Const(0);
    writer.i32Load(header.target);
  };
  findBlock();
  writer.loop();
  writeCalls(writer, regions.length, firstFunction);
  writer.localGet(result);
  writer.i32Const(0);
  writer.i32GeS();
  writer.if();
  writer.localGet(result);
  writer.return();
  writer.end();
  writer.localGet(result);
  writer.i32Const(elsewhere.searched);
  writer.i32Eq();
  writer.if();
  writer.i32Const(elsewhere.searchedBlock);
  writer.localSet(next);
  writeSearch(writer, loadTarget, starts);
  writer.else();
  writer.i32Const(elsewhere.ofBlock(0));
  writer.localGet(result);
  writer.i32Sub();
  writer.localSet(next);
  findBlock();
  writer.end();
  writer.br(0);
  writer.end();
  writer.unreachable();
  writer.end();
  return {
    name: 'run',
    type: { params: [i32], results: [i32] },
    locals: [[2, i32]],
    body: new Uint8Array(writer.out.done()),
  };
}

/** Calls the function of the region in the local `region`, and keeps its result. */
function writeCalls(writer: InstructionWriter, count: number, firstFunction: number): void {
  for (let index = 0; index <= count; index++) writer.block();
  writer.localGet(region);
  writer.brTable(count - 1);
  for (let index = 0; index < count; index++) {
    writer.end();
    writer.localGet(next);
    writer.call(firstFunction + index);
    writer.localSet(result);
    writer.br(count - 1 - index); // Behind all calls.
  }
  writer.end();
}

/** Sets the local `region` to the last one whose bound is not above the number that `load` pushes, by binary search. */
function writeSearch(
  writer: InstructionWriter,
  load: () => void,
  bounds: readonly number[],
  low = 0,
  end = bounds.length,
): void {
  if (end - low === 1) {
    writer.i32Const(low);
    writer.localSet(region);
    return;
  }
  const middle = (low + end) >> 1;
  load();
  writer.i32Const(bounds[middle] as number);
  writer.i32LtU();
  writer.if();
  writeSearch(writer, load, bounds, low, middle);
  writer.else();
  writeSearch(writer, load, bounds, middle, end);
  writer.end();
}
