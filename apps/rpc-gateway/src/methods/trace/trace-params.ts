import { InvalidValueError, parseUint64 } from '@cairn/block-model';
import { parseTraceTypes, traceTypes } from '@cairn/evm-executor';
import type { ParamDefinition } from '@cairn/jsonrpc-core';
import { paramSchemas } from '../../param-schemas.ts';
import { workerTimeSurcharge } from '../execution/call-executor.ts';

/** Fields that the definitions of all traces share. */
export const traced = { errors: ['server', 'limit'], cost: 300, surcharge: workerTimeSurcharge } as const;

/** Parameter: the parts of a trace. */
export const traceTypesParam = {
  name: 'traceTypes',
  summary: `a list of ${traceTypes.join(', ')}; an empty list returns the output only.`,
  schema: paramSchemas.traceTypes,
  parse: parseTraceTypes,
} satisfies ParamDefinition;

/** Deepest position of a call: the EVM ends deeper ones. */
const depthMax = 1025;

/** Parameter: the position of a call in the tree of calls. */
export const pathParam = {
  name: 'path',
  summary:
    'positions from the outermost call down, each in hexadecimal: [] is the outermost call, ["0x0"] its first one.',
  schema: paramSchemas.list,
  parse(field: string, value: unknown): readonly number[] {
    if (!Array.isArray(value) || value.length > depthMax)
      throw new InvalidValueError(field, `a list of ${depthMax} positions at most, such as ["0x0"]`, value);
    return value.map((each: unknown, index) => Number(parseUint64(`${field}[${index}]`, each, 'hexutil.Uint64')));
  },
} satisfies ParamDefinition<readonly number[]>;
