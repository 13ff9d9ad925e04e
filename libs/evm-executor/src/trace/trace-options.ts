import { InvalidValueError } from '@cairn/block-model';
import { type JsonObject, optionalFields, parseFlag, parseObject } from '../parse-json.ts';

/** What a trace tells, by tracer; geth's names and defaults. */
export type TraceOptions =
  | {
      readonly tracer: 'structLog';
      readonly enableMemory: boolean;
      readonly enableReturnData: boolean;
      readonly disableStack: boolean;
      readonly disableStorage: boolean;
      /** Steps at most; 0 for all. */
      readonly limit: number;
    }
  | { readonly tracer: 'callTracer'; readonly onlyTopCall: boolean; readonly withLog: boolean }
  | {
      readonly tracer: 'prestateTracer';
      readonly diffMode: boolean;
      readonly disableCode: boolean;
      readonly disableStorage: boolean;
      readonly includeEmpty: boolean;
    }
  | { readonly tracer: '4byteTracer' }
  | { readonly tracer: 'noopTracer' };

const tracers = ['callTracer', 'prestateTracer', '4byteTracer', 'noopTracer'];

/**
 * Reads the options of debug_traceTransaction and its kin.
 * @throws VALUE_INVALID naming the field
 */
export function parseTraceOptions(json: unknown, field = 'config'): TraceOptions {
  const object: JsonObject = json === undefined || json === null ? {} : parseObject(field, json);
  const { tracer } = object;
  if (tracer === undefined || tracer === null || tracer === '') {
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
  const { tracerConfig } = object;
  const config: JsonObject =
    tracerConfig === undefined || tracerConfig === null ? {} : parseObject(`${field}.tracerConfig`, tracerConfig);
  const flag = flags(`${field}.tracerConfig`, config);
  switch (tracer) {
    case 'callTracer':
      return { tracer: 'callTracer', onlyTopCall: flag('onlyTopCall'), withLog: flag('withLog') };
    case 'prestateTracer':
      return {
        tracer: 'prestateTracer',
        diffMode: flag('diffMode'),
        disableCode: flag('disableCode'),
        disableStorage: flag('disableStorage'),
        includeEmpty: flag('includeEmpty'),
      };
    case '4byteTracer':
      return { tracer: '4byteTracer' };
    case 'noopTracer':
      return { tracer: 'noopTracer' };
    default:
      throw new InvalidValueError(
        `${field}.tracer`,
        `one of ${tracers.join(', ')}, or no tracer for single steps`,
        tracer,
      );
  }
}

function flags(field: string, object: JsonObject) {
  const optional = optionalFields(field, object);
  return (name: string): boolean => optional(name, parseFlag) ?? false;
}

function parseLimit(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidValueError(field, 'a number of steps, 0 for all', value);
}
