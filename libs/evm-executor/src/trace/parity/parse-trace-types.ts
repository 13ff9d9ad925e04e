import { InvalidValueError } from '@cairn/block-model';
import { parseList } from '../../parse-json.ts';
import type { TracerOptions } from '../trace-options.ts';

/** Parts of a trace that clients select. */
export const traceTypes = ['trace', 'stateDiff', 'vmTrace'] as const;

/**
 * Parses the trace types of trace_call and similar methods. An empty list is valid: the result has the output only.
 * @throws VALUE_INVALID
 */
export function parseTraceTypes(field: string, value: unknown): TracerOptions<'parity'> {
  const selected = new Set(parseList(field, value, parseTraceType));
  return {
    tracer: 'parity',
    form: 'envelope',
    trace: selected.has('trace'),
    stateDiff: selected.has('stateDiff'),
    vmTrace: selected.has('vmTrace'),
  };
}

function parseTraceType(field: string, value: unknown): (typeof traceTypes)[number] {
  const type = traceTypes.find((each) => each === value);
  if (type === undefined) throw new InvalidValueError(field, `one of ${traceTypes.join(', ')}`, value);
  return type;
}

/** Options of traces that list all records. */
export const recordOptions = {
  tracer: 'parity',
  form: 'records',
  trace: true,
  stateDiff: false,
  vmTrace: false,
} as const satisfies TracerOptions<'parity'>;
