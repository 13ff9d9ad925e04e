import { oneOf } from '../domains.mjs';

const repeat = (text, size) => text.repeat(Math.max(1, Math.floor(size / text.length)));
const list = (item, size) => `[${repeat(`${item},`, size)}${item}]`;
const keys = (make, size, each) => {
  const count = Math.max(1, Math.floor(size / each));
  return `{${Array.from({ length: count }, (_, n) => make(n)).join(',')}}`;
};

/** JSON texts of `size` characters at most that are expensive to parse, check or repeat in an error. */
const texts = {
  zeros: (size) => list('0', size),
  lists: (size) => list('[]', size),
  objects: (size) => list('{}', size),
  nulls: (size) => list('null', size),
  doubles: (size) => list('1.7976931348623157e308', size),
  words: (size) => list(`"0x${'f'.repeat(64)}"`, size),
  addresses: (size) => list(`"0x${'cd'.repeat(20)}"`, size),
  keys: (size) => keys((n) => `"k${n}":0`, size, 10),
  indexKeys: (size) => keys((n) => `"${n * 1009}":0`, size, 10),
  sameKeys: (size) => keys(() => '"k":0', size, 6),
  addressKeys: (size) => keys((n) => `"0x${n.toString(16).padStart(40, '0')}":{"balance":"0x1"}`, size, 64),
  slotKeys: (size) => keys((n) => `"0x${n.toString(16).padStart(64, '0')}":"0x${'0'.repeat(64)}"`, size, 138),
  deep: (size) => `${'['.repeat(Math.min(28, size))}${']'.repeat(Math.min(28, size))}`,
  tooDeep: (size) => `${repeat('[', size / 2)}${repeat(']', size / 2)}`,
  text: (size) => `"${'x'.repeat(size)}"`,
  hex: (size) => `"0x${'ab'.repeat(size / 2)}"`,
  zerosBefore: (size) => `"0x${'0'.repeat(size)}1"`,
  escapes: (size) => `"${repeat('\\u0041', size)}"`,
  backslashes: (size) => `"${repeat('\\\\', size)}"`,
  surrogates: (size) => `"${repeat('\\ud800', size)}"`,
  wide: (size) => `"${repeat('ключ🔑', size / 3)}"`,
  digits: (size) => '1'.repeat(Math.max(1, size)),
  fraction: (size) => `0.${'1'.repeat(Math.max(1, size))}`,
  blanks: (size) => `${' '.repeat(size)}0`,
  numberIds: (size) => list('{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_chainId"}', size),
  idKeys: (size) => keys(() => '"\\u0069d":1', size, 12),
};

/** Gene of a JSON text. */
export const junk = oneOf(...Object.keys(texts));

export const junkOf = (name, size) => texts[name](Math.round(size));
