import { InstructionWriter } from './instruction-writer.ts';
import { blockInstructions, memoryInstructions, plainInstructions } from './instructions.ts';
import { type FunctionCode, type FunctionType, i32, i64 } from './module.ts';

const types: Readonly<Record<string, number>> = { i32, i64 };

export interface AssemblyOptions {
  readonly name: string;
  /** `name:type`, in order. */
  readonly params: readonly string[];
  readonly results: readonly string[];
  readonly locals?: readonly string[];
  /** Indices of the functions to which `call` refers. */
  readonly functions?: Readonly<Record<string, number>>;
  /**
   * Instructions by their names in the text format, flat, separated by white space. `get`, `set` and `tee` take a local, `br` and
   * `br_if` a depth, loads and stores an offset. Blocks have no results.
   */
  readonly text: string;
}

/** Assembles a small function from the text format of WebAssembly. @throws Error for an unknown instruction, local or function */
export function assemble({ name, params, results, locals = [], functions = {}, text }: AssemblyOptions): FunctionCode {
  const writer = new InstructionWriter();
  const indices = new Map([...params, ...locals].map((declared, index) => [declared.split(':')[0], index]));
  const local = (wanted: string) => indexOf(indices.get(wanted), `${name}: the local ${wanted} is not declared.`);
  const called = (wanted: string) => indexOf(functions[wanted], `${name}: the function ${wanted} is not declared.`);
  const withOperand: Readonly<Record<string, (operand: string) => void>> = {
    get: (operand) => writer.localGet(local(operand)),
    set: (operand) => writer.localSet(local(operand)),
    tee: (operand) => writer.localTee(local(operand)),
    br: (operand) => writer.br(Number(operand)),
    brIf: (operand) => writer.brIf(Number(operand)),
    call: (operand) => writer.call(called(operand)),
    i32Const: (operand) => writer.i32Const(Number(operand)),
    i64Const: (operand) => writer.i64Const(BigInt(operand)),
    v128Load: (operand) => writer.v128Load(Number(operand)),
    v128Store: (operand) => writer.v128Store(Number(operand)),
  };
  const words = text.trim().split(/\s+/);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const method = methodName(word);
    const operand = () => words[++at] ?? '';
    if (withOperand[method] !== undefined) withOperand[method](operand());
    else if (isKey(memoryInstructions, method)) writer[method](Number(operand()));
    else if (isKey(plainInstructions, method) || isKey(blockInstructions, method)) writer[method]();
    else if (isOther(method)) writer[method]();
    else throw new Error(`${name}: ${word} is not an instruction that the assembler supports.`);
  }
  writer.end();
  const typeOf = (declared: string) =>
    indexOf(types[declared.split(':').at(-1) ?? ''], `${name}: ${declared} has no type. Use i32 or i64.`);
  const type: FunctionType = { params: params.map(typeOf), results: results.map(typeOf) };
  return {
    name,
    type,
    locals: locals.map((declared) => [1, typeOf(declared)] as const),
    body: new Uint8Array(writer.out.done()),
  };
}

/** `i32.lt_u` in the text format is the method `i32LtU`. */
function methodName(word: string): string {
  return word.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function isKey<T extends object>(table: T, name: string): name is keyof T & string {
  return Object.hasOwn(table, name);
}

const others = ['memorySize', 'memoryGrow', 'memoryCopy', 'memoryFill', 'i32x4Add', 'i32x4Sub'] as const;

function isOther(name: string): name is (typeof others)[number] {
  return others.some((each) => each === name);
}

function indexOf(index: number | undefined, message: string): number {
  if (index === undefined) throw new Error(message);
  return index;
}
