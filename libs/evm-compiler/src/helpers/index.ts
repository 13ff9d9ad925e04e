import { encodeModule, type FunctionImport, type FunctionType, i32 } from '../wasm/module.ts';
import { arithmetic } from './arithmetic.ts';
import { hashing } from './keccak.ts';
import { expand } from './memory.ts';
import { modular } from './modular.ts';

/** In the order of the module. */
const order = [
  'highProduct',
  'multiply',
  'div',
  'mod',
  'countDigits',
  'divideDigits',
  'longDivision',
  'shl',
  'shr',
  'sar',
  'wideProduct',
  'wideRest',
  'wideRemainder',
  'sdiv',
  'smod',
  'addmod',
  'mulmod',
  'exp',
  'signextend',
  'byte',
  'permute',
  'keccak',
  'expand',
];
const indices = Object.fromEntries(order.map((name, index) => [name, index]));
const functions = [...arithmetic(indices), ...modular(indices), ...hashing(indices), expand];

/** What compiled codes call, in a module of its own over the same memory. */
export const helperModule = encodeModule([], functions);

/** Helpers that take words and give one. */
const wordHelpers = [
  'multiply',
  'div',
  'mod',
  'sdiv',
  'smod',
  'addmod',
  'mulmod',
  'exp',
  'signextend',
  'byte',
] as const;
const otherHelpers = ['shl', 'shr', 'sar', 'keccak', 'expand'] as const;
export type WordHelper = (typeof wordHelpers)[number];

/** What the host does for a code in between. Takes the place of the opcode. */
const ask: FunctionImport = { name: 'ask', type: { params: [i32], results: [] } };

/** What compiled codes import, in this order. */
export const helperImports: readonly FunctionImport[] = [
  ...[...wordHelpers, ...otherHelpers].map((name) => ({ name, type: typeOf(name) })),
  ask,
];

export const helperIndex = Object.fromEntries(helperImports.map(({ name }, index) => [name, index])) as Record<
  WordHelper | (typeof otherHelpers)[number] | 'ask',
  number
>;

function typeOf(name: string): FunctionType {
  const found = functions.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no helper ${name}`);
  return found.type;
}
