import { elsewhere } from './exits.ts';
import { header } from './layout.ts';
import type { Region } from './regions.ts';
import { ByteWriter } from './wasm/byte-writer.ts';
import { type FunctionCode, i32 } from './wasm/module.ts';

const next = 0;
const region = 1;
const result = 2;

/**
 * The function that is called from outside: runs the region of a block, and the one that it goes on in, until one stops.
 * @param starts of the regions, places in the code
 * @param firstFunction index of the function of the first region
 */
export function writeDriver(
  regions: readonly Region[],
  starts: readonly number[],
  firstFunction: number,
): FunctionCode {
  const out = new ByteWriter(1024);
  const op = (...bytes: number[]) => {
    for (const byte of bytes) out.u8(byte);
  };
  const get = (index: number) => op(0x20, index);
  const set = (index: number) => op(0x21, index);
  const constant = (value: number) => {
    op(0x41);
    out.s32(value);
  };
  /** Finds the region by halving: the last one whose bound is not above the number that `load` puts on the stack. */
  const find = (load: () => void, bounds: readonly number[], low = 0, end = bounds.length) => {
    if (end - low === 1) {
      constant(low);
      set(region);
      return;
    }
    const middle = (low + end) >> 1;
    load();
    constant(bounds[middle] as number);
    op(0x49, 0x04, 0x40); // i32.lt_u, if
    find(load, bounds, low, middle);
    op(0x05);
    find(load, bounds, middle, end);
    op(0x0b);
  };
  const findBlock = () =>
    find(
      () => get(next),
      regions.map(({ first }) => first),
    );
  findBlock();
  op(0x03, 0x40); // loop
  for (let index = 0; index <= regions.length; index++) op(0x02, 0x40); // block
  get(region);
  op(0x0e); // br_table
  out.u32(regions.length - 1);
  for (let index = 0; index < regions.length; index++) out.u32(index);
  for (let index = 0; index < regions.length; index++) {
    op(0x0b);
    get(next);
    op(0x10);
    out.u32(firstFunction + index);
    set(result);
    op(0x0c); // br, behind all of them
    out.u32(regions.length - 1 - index);
  }
  op(0x0b);
  get(result);
  constant(0);
  op(0x4e, 0x04, 0x40); // i32.ge_s, if
  get(result);
  op(0x0f, 0x0b); // return, end
  get(result);
  constant(elsewhere.searched);
  op(0x46, 0x04, 0x40); // i32.eq, if
  constant(elsewhere.searchedBlock);
  set(next);
  const loadTarget = () => {
    constant(0);
    op(0x28, 0); // i32.load
    out.u32(header.target);
  };
  find(loadTarget, starts);
  op(0x05);
  constant(elsewhere.ofBlock(0));
  get(result);
  op(0x6b);
  set(next);
  findBlock();
  op(0x0b, 0x0c, 0x00, 0x0b, 0x00, 0x0b); // end, br to the loop, end, unreachable, end
  return {
    name: 'run',
    type: { params: [i32], results: [i32] },
    locals: [[2, i32]],
    body: new Uint8Array(out.done()),
  };
}
