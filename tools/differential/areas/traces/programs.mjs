// Random bytecode for traces: mostly valid steps with small operands, so that programs continue, and some that fail in
// every way.

const undefinedOpcodes = [0x0c, 0x21, 0x4b, 0x4c, 0xa5, 0xb0, 0xd0, 0xe6, 0xf6, 0xf7, 0xfb, 0xfe];
const unary = [0x15, 0x19, 0x1e, 0x31, 0x35, 0x3b, 0x3f, 0x40, 0x49, 0x51, 0x54, 0x5c];
const binary = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b,
  0x1c, 0x1d, 0x20,
]; // prettier-ignore
const sources = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x58, 0x59,
  0x5a,
]; // prettier-ignore
const hex = (bytes) => Buffer.from(bytes).toString('hex');

/** PUSH of a number or of an address, as text. */
export function push(value) {
  if (typeof value === 'string') return [0x73, ...Buffer.from(value.slice(2), 'hex')];
  const word = BigInt(value);
  if (word === 0n) return [0x60, 0];
  const digits = word.toString(16);
  const bytes = Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex');
  return [0x5f + bytes.length, ...bytes];
}

/** Returns an offset or a length: small, and sometimes beyond all bounds. */
function extent(random) {
  if (random.chance(0.9)) return random.integer(0, 100);
  return random.pick([
    0,
    1000,
    2 ** 17,
    2 ** 32,
    2n ** 41n,
    2n ** 53n + 1n,
    2n ** 63n,
    2n ** 64n - 1n,
    2n ** 64n,
    2n ** 255n,
  ]); // prettier-ignore
}

const word = (random) =>
  random.chance(0.7) ? random.integer(0, 300) : BigInt(`0x${hex(random.bytes(random.pick([1, 8, 20, 32])))}`);

/** Gas that a call requests. */
const callGas = (random) => random.pick([0, 100, 2300, 5000, 30_000, 100_000, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n]);

function call(random, addresses) {
  const opcode = random.pick([0xf1, 0xf1, 0xf2, 0xf4, 0xfa]);
  const hasValue = opcode === 0xf1 || opcode === 0xf2;
  const value = random.pick([0, 0, 0, 1, 5, 2n ** 80n, 2n ** 255n]);
  return [
    ...push(extent(random)),
    ...push(extent(random)),
    ...push(extent(random)),
    ...push(extent(random)),
    ...(hasValue ? push(value) : []),
    ...push(random.pick(addresses)),
    ...(random.chance(0.3) ? [0x5a] : push(callGas(random))),
    opcode,
  ];
}

/** Writes init code into memory and creates with it. */
function create(random, addresses, depth) {
  const inner = depth > 0 ? program(random, addresses, depth - 1) : random.bytes(random.integer(0, 20));
  const returns = random.chance(0.5) ? [...push(random.integer(0, 40)), ...push(0), 0xf3] : [];
  const code = [...inner.slice(0, 400), ...returns];
  const store = [];
  for (let at = 0; at < code.length; at += 32) {
    const chunk = [...code.slice(at, at + 32)];
    while (chunk.length < 32) chunk.push(0);
    store.push(0x7f, ...chunk, ...push(at), 0x52);
  }
  const value = random.pick([0, 0, 0, 3, 2n ** 90n]);
  const length = random.chance(0.95) ? code.length : random.pick([49_153, 60_000, 2 ** 33]);
  const two = random.chance(0.4);
  return [...store, ...(two ? push(word(random)) : []), ...push(length), ...push(0), ...push(value), two ? 0xf5 : 0xf0];
}

function log(random) {
  const topics = random.integer(0, 4);
  const operands = Array.from({ length: topics }, () => push(word(random))).flat();
  return [...operands, ...push(extent(random)), ...push(extent(random)), 0xa0 + topics];
}

function copy(random, addresses) {
  const opcode = random.pick([0x37, 0x39, 0x3c, 0x3e, 0x5e]);
  const operands = [...push(extent(random)), ...push(extent(random)), ...push(extent(random))];
  return [...operands, ...(opcode === 0x3c ? push(random.pick(addresses)) : []), opcode];
}

function end(random, addresses) {
  const choice = random.integer(0, 9);
  if (choice < 2) return [...push(extent(random)), ...push(extent(random)), 0xf3];
  if (choice < 4) return [...push(extent(random)), ...push(extent(random)), 0xfd];
  if (choice === 4) return reason(random);
  if (choice === 5) return [...push(random.pick(addresses)), 0xff];
  if (choice === 6) return [random.pick(undefinedOpcodes)];
  if (choice === 7) return [...push(random.integer(0, 500)), 0x56];
  return choice === 8 ? [0x00] : [];
}

/** Reverts with `Error("no")` or `Panic(17)`. */
function reason(random) {
  if (random.chance(0.5)) return Buffer.from('634e487b7160e01b5f5260116004526024' + '5ffd', 'hex');
  return Buffer.from('62461bcd60e51b5f5260206004526002602452616e6f60f01b60445260645ffd', 'hex');
}

/** Overflows or underflows the stack, or loops. */
function strain(random) {
  const choice = random.integer(0, 3);
  if (choice === 0) return [0x5b, 0x58, 0x60, 0x00, 0x56];
  if (choice === 1) return [0x50, 0x50, 0x50, 0x50, 0x50, 0x50];
  return [0x80 + random.integer(0, 15), 0x90 + random.integer(0, 15)];
}

const store = (random) => [
  ...push(random.integer(0, 3)),
  ...push(random.integer(0, 3)),
  random.chance(0.8) ? 0x55 : 0x5d,
];

/** Bytecode of a few dozen steps that calls and creates. */
export function program(random, addresses, depth = 1) {
  const code = [];
  const steps = random.integer(1, 14);
  for (let step = 0; step < steps; step++) code.push(...piece(random, addresses, depth));
  if (random.chance(0.8)) code.push(...end(random, addresses));
  return code;
}

function piece(random, addresses, depth) {
  const choice = random.integer(0, 21);
  if (choice < 4) return [...push(word(random)), random.pick(unary)];
  if (choice < 7) return [...push(word(random)), ...push(word(random)), random.pick(binary)];
  if (choice < 9) return [random.pick(sources)];
  if (choice < 11) return store(random);
  if (choice < 12) return [...push(random.integer(0, 3)), 0x54];
  if (choice < 16) return call(random, addresses);
  if (choice < 17) return create(random, addresses, depth);
  if (choice < 18) return log(random);
  if (choice < 19) return copy(random, addresses);
  if (choice < 20) return [...push(random.pick(addresses)), random.pick([0x31, 0x3b, 0x3f])];
  if (choice < 21) return [...push(extent(random)), ...push(extent(random)), random.pick([0x20, 0x52, 0x53])];
  return random.chance(0.3)
    ? strain(random)
    : [...push(extent(random)), ...push(word(random)), ...push(word(random)), 0x08]; // prettier-ignore
}

export const asHex = (bytes) => `0x${hex(bytes)}`;
