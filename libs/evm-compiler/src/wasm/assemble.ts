import { ByteWriter } from './byte-writer.ts';
import { type FunctionCode, type FunctionType, i32, i64 } from './module.ts';

const plain: Readonly<Record<string, number>> = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  return: 0x0f,
  select: 0x1b,
  'i32.eqz': 0x45,
  'i32.eq': 0x46,
  'i32.ne': 0x47,
  'i32.lt_u': 0x49,
  'i32.gt_u': 0x4b,
  'i32.le_u': 0x4d,
  'i32.ge_u': 0x4f,
  'i32.ge_s': 0x4e,
  'i64.eqz': 0x50,
  'i64.eq': 0x51,
  'i64.ne': 0x52,
  'i64.lt_s': 0x53,
  'i64.lt_u': 0x54,
  'i64.gt_u': 0x56,
  'i64.ge_u': 0x5a,
  'i32.add': 0x6a,
  'i32.sub': 0x6b,
  'i32.mul': 0x6c,
  'i32.and': 0x71,
  'i32.or': 0x72,
  'i32.shl': 0x74,
  'i32.shr_u': 0x76,
  'i64.clz': 0x79,
  'i64.add': 0x7c,
  'i64.sub': 0x7d,
  'i64.mul': 0x7e,
  'i64.div_u': 0x80,
  'i64.rem_u': 0x82,
  'i64.and': 0x83,
  'i64.or': 0x84,
  'i64.xor': 0x85,
  'i64.shl': 0x86,
  'i64.shr_s': 0x87,
  'i64.shr_u': 0x88,
  'i64.rotl': 0x89,
  'i32.wrap_i64': 0xa7,
  'i64.extend_i32_u': 0xad,
};
/** With an offset behind them: alignment 0 promises nothing. */
const accesses: Readonly<Record<string, number>> = {
  'i32.load': 0x28,
  'i64.load': 0x29,
  'i64.load32_u': 0x35,
  'i32.store': 0x36,
  'i64.store': 0x37,
  'i64.store32': 0x3e,
  'i32.store8': 0x3a,
};
const types: Readonly<Record<string, number>> = { i32, i64 };

export interface AssemblyOptions {
  readonly name: string;
  /** `name:type`, in order. */
  readonly params: readonly string[];
  readonly results: readonly string[];
  readonly locals?: readonly string[];
  /** Indices of the functions that `call` names. */
  readonly functions?: Readonly<Record<string, number>>;
  /**
   * Instructions by their names in the text format, flat, separated by white space. `get`, `set` and `tee` take a local, `br` and
   * `br_if` a depth, loads and stores an offset. Blocks have no results.
   */
  readonly text: string;
}

/** A small function, from text that people can read. @throws for what it does not know */
export function assemble({ name, params, results, locals = [], functions = {}, text }: AssemblyOptions): FunctionCode {
  const typeOf = (declared: string) => {
    const type = types[declared.split(':').at(-1) ?? ''];
    if (type === undefined) throw new Error(`${name}: ${declared} has no type`);
    return type;
  };
  const indices = new Map([...params, ...locals].map((declared, index) => [declared.split(':')[0], index]));
  const type: FunctionType = { params: params.map(typeOf), results: results.map(typeOf) };
  const body = new ByteWriter();
  const words = text.trim().split(/\s+/);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const operand = () => words[++at] ?? '';
    const local = () => {
      const wanted = operand();
      const index = indices.get(wanted);
      if (index === undefined) throw new Error(`${name}: there is no local ${wanted}`);
      body.u32(index);
    };
    const opcode = plain[word];
    const access = accesses[word];
    if (opcode !== undefined) {
      body.u8(opcode);
      if (word === 'block' || word === 'loop' || word === 'if') body.u8(0x40);
    } else if (access !== undefined) {
      body.u8(access);
      body.u32(0);
      body.u32(Number(operand()));
    } else if (word === 'get' || word === 'set' || word === 'tee') {
      body.u8({ get: 0x20, set: 0x21, tee: 0x22 }[word]);
      local();
    } else if (word === 'br' || word === 'br_if') {
      body.u8(word === 'br' ? 0x0c : 0x0d);
      body.u32(Number(operand()));
    } else if (word === 'i32.const') {
      body.u8(0x41);
      body.s32(Number(operand()));
    } else if (word === 'i64.const') {
      body.u8(0x42);
      body.s64(BigInt(operand()));
    } else if (word === 'call') {
      const wanted = operand();
      const index = functions[wanted];
      if (index === undefined) throw new Error(`${name}: there is no function ${wanted}`);
      body.u8(0x10);
      body.u32(index);
    } else if (word === 'memory.size' || word === 'memory.grow') {
      body.u8(word === 'memory.size' ? 0x3f : 0x40);
      body.u8(0x00);
    } else if (word === 'memory.fill') body.bytes(new Uint8Array([0xfc, 0x0b, 0x00]));
    else if (word === 'memory.copy') body.bytes(new Uint8Array([0xfc, 0x0a, 0x00, 0x00]));
    else throw new Error(`${name}: there is no instruction ${word}`);
  }
  body.u8(0x0b);
  return {
    name,
    type,
    locals: locals.map((declared) => [1, typeOf(declared)] as const),
    body: new Uint8Array(body.done()),
  };
}
