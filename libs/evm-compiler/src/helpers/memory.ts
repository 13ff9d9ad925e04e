import { header } from '../layout.ts';
import { assemble } from '../wasm/assemble.ts';
import type { FunctionCode } from '../wasm/module.ts';

const cost = (words: string) =>
  `get ${words} i64.const 3 i64.mul get ${words} get ${words} i64.mul i64.const 9 i64.shr_u i64.add`;

/**
 * Expands memory to `end` bytes, zeroed (Yellow Paper, H.1). Returns the remaining gas; -1 if it is less than `least`, or if
 * the linear memory cannot grow.
 */
export const expand: FunctionCode = assemble({
  name: 'expand',
  params: ['end:i32', 'gas:i64', 'least:i64'],
  results: ['i64'],
  locals: ['size:i32', 'next:i32', 'top:i32', 'before:i64', 'words:i64'],
  text: `
    i32.const 0 i32.load ${header.memorySize} set size
    get end i32.const 31 i32.add i32.const -32 i32.and set next
    get size i32.const 5 i32.shr_u i64.extend_i32_u set before
    get next i32.const 5 i32.shr_u i64.extend_i32_u set words
    get gas ${cost('words')} ${cost('before')} i64.sub i64.sub tee gas
    get least i64.lt_s if i64.const -1 return end
    i32.const 0 i32.load ${header.memoryBase} get next i32.add set top
    get top i32.const 65535 i32.add i32.const 16 i32.shr_u memory.size i32.gt_u
    if
      get top i32.const 65535 i32.add i32.const 16 i32.shr_u memory.size i32.sub i32.const 16 i32.add memory.grow
      i32.const -1 i32.eq if i64.const -1 return end
    end
    i32.const 0 i32.load ${header.memoryBase} get size i32.add i32.const 0 get next get size i32.sub memory.fill
    i32.const 0 get next i32.store ${header.memorySize}
    get gas`,
});
