import { ApiError } from './api-error.ts';

const unitNs: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);
const nsMax = 2n ** 63n - 1n;
const partPattern = /^(\d*)(?:\.(\d*))?/;
const charactersMax = 128;
/** Longest time of a timer of Node.js. */
const timerMsMax = 2 ** 31 - 1;

/** Parses Go's `time.ParseDuration` to nanoseconds. @throws ApiError 500 with Go's message behind the prefix */
export function parseGoDurationNs(text: string, prefix = ''): bigint {
  const quoted = JSON.stringify(text.slice(0, charactersMax));
  const invalid = () => new ApiError(500, `${prefix}time: invalid duration ${quoted}`);
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === '0') return 0n;
  if (body === '' || text.length > charactersMax) throw invalid();
  let total = 0n;
  for (let rest = body; rest !== ''; ) {
    const [number = '', whole = '', fraction = ''] = partPattern.exec(rest) ?? [];
    if (whole === '' && fraction === '') throw invalid();
    rest = rest.slice(number.length);
    const [unit = ''] = /^[^.\d]*/.exec(rest) ?? [];
    if (unit === '') throw new ApiError(500, `${prefix}time: missing unit in duration ${quoted}`);
    const size = unitNs.get(unit);
    if (size === undefined)
      throw new ApiError(500, `${prefix}time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    total += BigInt(whole || '0') * BigInt(size) + BigInt(Math.trunc(Number(`0.${fraction || '0'}`) * size));
    if (total > nsMax) throw invalid();
    rest = rest.slice(unit.length);
  }
  return sign === '-' ? -total : total;
}

/** Parses Go's `time.ParseDuration` to milliseconds of a timer, rounded up. A negative duration is 0. @throws ApiError 500 */
export function parseGoTimerMs(text: string): number {
  return Math.min(Math.max(0, Math.ceil(Number(parseGoDurationNs(text)) / 1e6)), timerMsMax);
}
