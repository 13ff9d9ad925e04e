import { encodeModule, type FunctionCode, type FunctionImport, i32 } from '../wasm/module.ts';
import { arithmetic } from './arithmetic.ts';
import { hashing } from './keccak.ts';
import { expand } from './memory.ts';
import { modular } from './modular.ts';

/** Helpers from words to a word. */
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
/** Helpers that only other helpers call. */
const innerHelpers = [
  'highProduct',
  'countDigits',
  'divideDigits',
  'longDivision',
  'wideProduct',
  'wideRest',
  'wideRemainder',
  'permute',
  'entryOf',
  'absorbAll',
] as const;
export type WordHelper = (typeof wordHelpers)[number];

/** Order of the helpers in their module. `call` refers to these indices. */
const order: readonly string[] = [...innerHelpers, ...wordHelpers, ...otherHelpers];
const indices = Object.fromEntries(order.map((name, index) => [name, index]));
const made = new Map(
  [...arithmetic(indices), ...modular(indices), ...hashing(indices), expand].map((helper) => [helper.name, helper]),
);

/** The helpers as a module over the same memory as the compiled codes. */
export const helperModule = encodeModule([], order.map(helperOf));

/** Runs an opcode in the host. The parameter is the code offset of the opcode. */
const ask: FunctionImport = { name: 'ask', type: { params: [i32], results: [] } };

/** Imports of compiled codes, in this order. */
export const helperImports: readonly FunctionImport[] = [
  ...[...wordHelpers, ...otherHelpers].map((name) => ({ name, type: helperOf(name).type })),
  ask,
];

export const helperIndex = Object.fromEntries(helperImports.map(({ name }, index) => [name, index])) as Record<
  WordHelper | (typeof otherHelpers)[number] | 'ask',
  number
>;

function helperOf(name: string): FunctionCode {
  const helper = made.get(name);
  if (helper === undefined) throw new Error(`The helper ${name} is listed, but no function makes it.`);
  return helper;
}
