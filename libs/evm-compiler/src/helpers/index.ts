import { encodeModule, type FunctionImport, type FunctionType, i32 } from '../wasm/module.ts';
import { arithmetic } from './arithmetic.ts';
import { hashing } from './keccak.ts';
import { expand } from './memory.ts';

const compute: FunctionImport = { name: 'compute', type: { params: [i32], results: [] } };
/** `compute` comes first, since it is imported; the others follow in the order of the module. */
const order = [
  'compute',
  'highProduct',
  'multiply',
  'div',
  'mod',
  'longDivision',
  'shl',
  'shr',
  'sar',
  'permute',
  'keccak',
  'expand',
];
const indices = Object.fromEntries(order.map((name, index) => [name, index]));
const functions = [...arithmetic(indices), ...hashing(indices), expand];

/** What compiled codes call, in a module of its own over the same memory. */
export const helperModule = encodeModule([compute], functions);

/** The helpers as imports of compiled codes, in this order. */
export const helperImports: readonly FunctionImport[] = [
  compute,
  ...['multiply', 'div', 'mod', 'shl', 'shr', 'sar', 'keccak', 'expand'].map((name) => ({ name, type: typeOf(name) })),
];

export const helperIndex = Object.fromEntries(helperImports.map(({ name }, index) => [name, index])) as Record<
  'compute' | 'multiply' | 'div' | 'mod' | 'shl' | 'shr' | 'sar' | 'keccak' | 'expand',
  number
>;

function typeOf(name: string): FunctionType {
  const found = functions.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no helper ${name}`);
  return found.type;
}
