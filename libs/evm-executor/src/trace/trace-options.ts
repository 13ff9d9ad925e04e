import { InvalidValueError, parseQuantity } from '@cairn/block-model';
import { op } from '@cairn/evm';
import { TraceRefusedError } from '../errors.ts';
import { type JsonObject, optionalFields, parseFlag, parseList, parseObject } from '../parse-json.ts';
import type { ParityOptions } from './parity/parity-options.ts';
import { parseDuration } from './parse-duration.ts';

/** Options of each tracer, with geth's names and defaults. */
interface OptionsByTracer {
  readonly structLog: {
    readonly enableMemory: boolean;
    readonly enableReturnData: boolean;
    readonly disableStack: boolean;
    readonly disableStorage: boolean;
    /** Number of characters after which steps are dropped; 0 keeps all. */
    readonly limit: number;
  };
  readonly callTracer: { readonly onlyTopCall: boolean; readonly withLog: boolean };
  readonly flatCallTracer: { readonly convertParityErrors: boolean; readonly includePrecompiles: boolean };
  readonly prestateTracer: {
    readonly diffMode: boolean;
    readonly disableCode: boolean;
    readonly disableStorage: boolean;
    readonly includeEmpty: boolean;
  };
  readonly erc7562Tracer: {
    readonly stackTopItemsSize: number;
    readonly ignoredOpcodes: readonly number[];
    readonly withLog: boolean;
  };
  readonly muxTracer: { readonly tracers: readonly TracerOptions[] };
  readonly keccak256PreimageTracer: object;
  readonly '4byteTracer': object;
  readonly noopTracer: object;
  readonly opcountTracer: object;
  readonly unigramTracer: object;
  readonly bigramTracer: object;
  readonly trigramTracer: object;
  readonly callTracerLegacy: object;
  readonly prestateTracerLegacy: object;
  readonly '4byteTracerLegacy': object;
  readonly noopTracerLegacy: object;
  /** Traces of the namespace trace_. The trace options of debug methods cannot select it. */
  readonly parity: ParityOptions;
}

export type TracerName = keyof OptionsByTracer;

/** A tracer with its options. */
export type TracerOptions<Name extends TracerName = TracerName> = {
  [Each in Name]: { readonly tracer: Each } & OptionsByTracer[Each];
}[Name];

/** Tracer of a trace, and the time limit of each transaction. */
export type TraceOptions = TracerOptions & { readonly timeoutMs?: number };

/** Maximum number of tracers in one muxTracer, nested ones included. */
const muxedMax = 16;
/** Maximum of stackTopItemsSize: the size of the EVM stack. */
const stackTopItemsMax = 1024;

/** Opcodes that erc7562Tracer does not count by default: PUSH0 to SWAP16, POP, and plain arithmetic. */
const ignoredByDefault: readonly number[] = [
  ...Array.from({ length: op.SWAP16 - op.PUSH0 + 1 }, (_, index) => op.PUSH0 + index),
  ...[op.POP, op.ADD, op.SUB, op.MUL, op.DIV, op.EQ, op.LT, op.GT, op.SLT, op.SGT, op.SHL, op.SHR],
  ...[op.AND, op.OR, op.NOT, op.ISZERO],
];

type Flags = (name: string) => boolean;
type OptionsParsers = {
  readonly [Name in Exclude<TracerName, 'structLog' | 'parity'>]: (
    config: JsonObject,
    flag: Flags,
    field: string,
  ) => TracerOptions<Name>;
};

const parsers: OptionsParsers = {
  callTracer: (_, flag) => ({ tracer: 'callTracer', onlyTopCall: flag('onlyTopCall'), withLog: flag('withLog') }),
  flatCallTracer: (_, flag) => ({
    tracer: 'flatCallTracer',
    convertParityErrors: flag('convertParityErrors'),
    includePrecompiles: flag('includePrecompiles'),
  }),
  prestateTracer: (config, flag, field) => parsePrestateOptions(config, flag, field),
  erc7562Tracer: (config, flag, field) => parseErc7562Options(config, flag, field),
  muxTracer: (config, _, field) => ({
    tracer: 'muxTracer',
    tracers: Object.entries(config).map(([name, of]) => parseTracer(name, of ?? {}, `${field}.${name}`)),
  }),
  keccak256PreimageTracer: () => ({ tracer: 'keccak256PreimageTracer' }),
  '4byteTracer': () => ({ tracer: '4byteTracer' }),
  noopTracer: () => ({ tracer: 'noopTracer' }),
  opcountTracer: () => ({ tracer: 'opcountTracer' }),
  unigramTracer: () => ({ tracer: 'unigramTracer' }),
  bigramTracer: () => ({ tracer: 'bigramTracer' }),
  trigramTracer: () => ({ tracer: 'trigramTracer' }),
  callTracerLegacy: () => ({ tracer: 'callTracerLegacy' }),
  prestateTracerLegacy: () => ({ tracer: 'prestateTracerLegacy' }),
  '4byteTracerLegacy': () => ({ tracer: '4byteTracerLegacy' }),
  noopTracerLegacy: () => ({ tracer: 'noopTracerLegacy' }),
};

/** Valid values of the option `tracer`. */
export const tracerNames: readonly string[] = Object.keys(parsers);

/**
 * Parses the options of debug_traceTransaction and the other trace methods.
 * @throws VALUE_INVALID with the field
 */
export function parseTraceOptions(json: unknown, field = 'config'): TraceOptions {
  const object: JsonObject = json === undefined || json === null ? {} : parseObject(field, json);
  const timeoutMs = optionalFields(field, object)('timeout', parseDuration);
  const { tracer, tracerConfig } = object;
  const isDefault = tracer === undefined || tracer === null;
  const options = isDefault
    ? parseStepOptions(field, object)
    : parseTracer(tracer, tracerConfig ?? {}, `${field}.tracerConfig`, `${field}.tracer`);
  if (countOf(options) > muxedMax) throw new InvalidValueError(field, `at most ${muxedMax} tracers`, countOf(options));
  return { ...options, ...(timeoutMs !== undefined && { timeoutMs }) };
}

function parseStepOptions(field: string, object: JsonObject): TracerOptions<'structLog'> {
  const flag = flags(field, object);
  return {
    tracer: 'structLog',
    enableMemory: flag('enableMemory'),
    enableReturnData: flag('enableReturnData'),
    disableStack: flag('disableStack'),
    disableStorage: flag('disableStorage'),
    limit: optionalFields(field, object)('limit', parseLimit) ?? 0,
  };
}

function parseTracer(name: unknown, config: unknown, field: string, nameField = field): TracerOptions {
  if (!isTracer(name)) throw unknownTracer(nameField, name);
  const object = parseObject(field, config);
  return parsers[name](object, flags(field, object), field);
}

function isTracer(name: unknown): name is keyof OptionsParsers {
  return typeof name === 'string' && Object.hasOwn(parsers, name);
}

function unknownTracer(field: string, name: unknown): InvalidValueError {
  const expected =
    name === 'evmdisTracer'
      ? 'a built-in tracer, since tracers in JavaScript are not supported: leave it out for single steps'
      : `one of ${tracerNames.join(', ')}, or no tracer for single steps; tracers in JavaScript are not supported`;
  return new InvalidValueError(field, expected, name);
}

function parsePrestateOptions(_: JsonObject, flag: Flags, field: string): TracerOptions<'prestateTracer'> {
  const options = {
    tracer: 'prestateTracer',
    diffMode: flag('diffMode'),
    disableCode: flag('disableCode'),
    disableStorage: flag('disableStorage'),
    includeEmpty: flag('includeEmpty'),
  } as const;
  if (options.diffMode && options.includeEmpty)
    throw new TraceRefusedError('cannot use diffMode with includeEmpty', `Leave one of them out of ${field}.`);
  return options;
}

function parseErc7562Options(config: JsonObject, flag: Flags, field: string): TracerOptions<'erc7562Tracer'> {
  const optional = optionalFields(field, config);
  const ignored = optional('ignoredOpcodes', (at, value) => parseList(at, value, parseQuantity));
  const size = optional('stackTopItemsSize', parseStackItems) ?? 0;
  return {
    tracer: 'erc7562Tracer',
    stackTopItemsSize: size === 0 ? 3 : size,
    // geth keeps the low byte.
    ignoredOpcodes: ignored?.map((opcode) => Number(BigInt.asUintN(8, opcode))) ?? ignoredByDefault,
    withLog: flag('withLog'),
  };
}

function countOf(options: TracerOptions): number {
  if (options.tracer !== 'muxTracer') return 1;
  return options.tracers.reduce((sum, each) => sum + countOf(each), 1);
}

function flags(field: string, object: JsonObject): Flags {
  const optional = optionalFields(field, object);
  return (name: string): boolean => optional(name, parseFlag) ?? false;
}

function parseLimit(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new InvalidValueError(field, 'a number of characters, 0 for all', value);
}

function parseStackItems(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= stackTopItemsMax) return value;
  throw new InvalidValueError(field, `a number of words from 0 to ${stackTopItemsMax}`, value);
}
