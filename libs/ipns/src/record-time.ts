/** RFC 3339 with up to nine digits of a fraction, as Go's RFC3339Nano. */
const timePattern = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** Parses a time of RFC 3339 to nanoseconds since 1970; undefined for other texts. */
export function nanosecondsOfTime(text: string): bigint | undefined {
  const [, whole, fraction = '', zone] = timePattern.exec(text) ?? [];
  const ms = Date.parse(`${whole}${zone}`);
  if (whole === undefined || Number.isNaN(ms)) return undefined;
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** Formats a time as Go's RFC3339Nano does: without trailing zeros of the fraction. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0+Z$/, 'Z');
}
