import { InvalidValueError } from '@cairn/block-model';
import { TraceRefusedError } from '../errors.ts';

/** Milliseconds per unit of Go's time.ParseDuration. */
const units: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const whole = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const charactersMax = 64;

/** Parses a duration in Go's form, such as `5s` or `1m30s`, to milliseconds. @throws VALUE_INVALID, TRACE_REFUSED */
export function parseDuration(field: string, value: unknown): number {
  if (typeof value !== 'string' || value.length > charactersMax)
    throw new InvalidValueError(field, 'a duration with its unit, such as "5s" or "300ms"', value);
  if (!whole.test(value)) {
    const isUnitMissing = /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(value);
    const fault = isUnitMissing ? 'missing unit in duration' : 'invalid duration';
    throw new TraceRefusedError(
      `time: ${fault} ${JSON.stringify(value)}`,
      `Give ${field} a unit, such as "5s" or "300ms".`,
    );
  }
  let milliseconds = 0;
  for (const [, amount, unit] of value.matchAll(part)) milliseconds += Number(amount) * (units.get(unit ?? '') ?? 0);
  return value.startsWith('-') ? -milliseconds : milliseconds;
}
