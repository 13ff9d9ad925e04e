import { hexOf } from './hex.mjs';

// Random programs: short ones that end, read the block and the message, and call and create other contracts.

const push = (value, bytes) => {
  const digits = BigInt(value).toString(16);
  const padded = digits.padStart((bytes ?? Math.ceil(digits.length / 2)) * 2, '0');
  return (0x5f + padded.length / 2).toString(16) + padded;
};
const op = (code) => code.toString(16).padStart(2, '0');
const wordReturned = `${push(0)}52${push(32)}${push(0)}f3`;

/** Opcodes without operands that push a word. */
const environment = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x58, 0x59,
  0x5a,
];
/** Opcodes that pop one word and push one. */
const readers = [0x31, 0x35, 0x3b, 0x3f, 0x40, 0x49, 0x54, 0x5c, 0x15, 0x19, 0x1e];

/** @returns code that uses an account out of `addresses` */
export function randomCode(random, addresses) {
  const made = random.pick(kinds)(random, addresses);
  return `0x${made}`;
}

/** Init code that deploys `code`. */
export function deploying(code) {
  const body = code.slice(2);
  return `0x${push(body.length / 2, 2)}80600c6000396000f3${body}`;
}

const address = (random, addresses) => push(random.pick(addresses), 20);

/** Returns the result of a reader. */
function reads(random, addresses) {
  const operand = random.pick([
    () => address(random, addresses),
    () => push(random.integer(0, 60)),
    () => push(`0x${hexOf(random, 32)}`),
  ]);
  return operand() + op(random.pick(readers)) + wordReturned;
}

const tells = (random) => op(random.pick(environment)) + wordReturned;

/** Calls one account with the operands of the call kind. Returns success and the size of the return data. */
function calls(random, addresses) {
  const opcode = random.pick([0xf1, 0xf1, 0xf2, 0xf4, 0xfa]);
  const hasValue = opcode === 0xf1 || opcode === 0xf2;
  const gas = random.pick(['5a', push(random.integer(0, 60_000)), push(2n ** 256n - 1n)]);
  const value = hasValue ? push(random.pick([0, 0, 1, 1_000, 10n ** 30n])) : '';
  const called = `${push(32)}${push(0)}${push(random.integer(0, 64))}${push(0)}${value}${address(random, addresses)}${gas}${op(opcode)}`;
  return called + random.pick([wordReturned, `503d${wordReturned}`, `50${push(0)}51${wordReturned}`]);
}

/** Creates a contract and returns its address. From Shanghai on its code may be empty. */
function creates(random, addresses) {
  const inner = random.pick(['', '00', 'fe', '60006000fd', '60ef60005360016000f3', `5b${tells(random)}`]);
  const body = (inner + reads(random, addresses)).slice(0, 64).padEnd(64, '0');
  const stored = `7f${body}${push(0)}52`;
  const value = push(random.pick([0, 0, 1, 10n ** 30n]));
  const isTwo = random.chance(0.5);
  const made = `${isTwo ? push(random.integer(0, 3)) : ''}${push(random.integer(0, 32))}${push(0)}${value}${isTwo ? 'f5' : 'f0'}`;
  return stored + made + random.pick([wordReturned, `503d${wordReturned}`, `${made}${wordReturned}`]);
}

function stores(random) {
  let code = '';
  for (let n = random.integer(1, 5); n > 0; n--) {
    const slot = push(random.integer(0, 3));
    code += random.pick([
      () => `${push(random.integer(0, 2))}${slot}55`,
      () => `${push(random.integer(0, 2))}${slot}5d`,
      () => `${slot}5450`,
      () => `${slot}5c50`,
    ])();
  }
  return code + random.pick([`${push(random.integer(0, 3))}54${wordReturned}`, '00', '', `5a${wordReturned}`]);
}

function logs(random) {
  const topics = random.integer(0, 4);
  const pushed = Array.from({ length: topics }, () => push(random.integer(0, 9))).join('');
  return pushed + push(random.integer(0, 70)) + push(0) + op(0xa0 + topics) + random.pick(['00', '60006000fd', 'fe']);
}

/** Reverts with nothing, four bytes, an Error(string), a Panic, or data that only resembles them. */
function reverts(random) {
  const data = random.pick([
    '',
    '12345678',
    `08c379a0${'20'.padStart(64, '0')}${'5'.padStart(64, '0')}${'68656c6c6f'.padEnd(64, '0')}`,
    `08c379a0${'20'.padStart(64, '0')}${'ff'.padStart(64, '0')}`,
    `4e487b71${random.pick(['11', '01', '32', '99']).padStart(64, '0')}`,
    '4e487b71',
    hexOf(random, random.integer(1, 40)),
  ]);
  let code = '';
  for (let at = 0; at < data.length; at += 64) code += `7f${data.slice(at, at + 64).padEnd(64, '0')}${push(at / 2)}52`;
  return `${code}${push(data.length / 2)}${push(0)}fd`;
}

const destroys = (random, addresses) => `${address(random, addresses)}ff`;

/** Ends differently depending on the remaining gas: a jump below a threshold. */
function gasReaders(random, addresses) {
  const less = random.pick(['60006000fd', 'fe', `${address(random, addresses)}31${wordReturned}`]);
  const more = random.pick(['00', `60005450${tells(random)}`, reads(random, addresses)]);
  const threshold = push(random.integer(1_000, 90_000), 3);
  const target = push(4 + 1 + 1 + 2 + 1 + less.length / 2, 1);
  return `${threshold}5a11${target}57${less}5b${more}`;
}

/** Consumes gas in a loop. */
const loops = (random) =>
  `${push(random.integer(1, 3_000), 2)}5b6001900380600357${random.pick(['00', `5a${wordReturned}`])}`;

/** Returns random bytes, most of them existing opcodes. */
function noise(random, addresses) {
  let code = '';
  for (let n = random.integer(1, 30); n > 0; n--) {
    code += random.pick([
      () => push(random.integer(0, 255)),
      () => push(random.integer(0, 5)),
      () => address(random, addresses),
      () => op(random.integer(0, 255)),
      () => op(random.pick([...environment, ...readers])),
    ])();
  }
  return code;
}

/** Concatenates two programs, the first without its end. */
const both = (random, addresses) =>
  stores(random).replace(/00$/, '') + random.pick([calls, creates, reads])(random, addresses);

const kinds = [
  reads,
  reads,
  tells,
  tells,
  calls,
  calls,
  calls,
  creates,
  creates,
  stores,
  logs,
  reverts,
  destroys,
  gasReaders,
  loops,
  noise,
  both,
];
