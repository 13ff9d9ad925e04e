/** RFC 3339, section 5.6. Letters may be in lower case. */
const pattern = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,100}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Parses a time and returns microseconds since 1970; `undefined` for any other text. Further digits of a second are dropped.
 */
export function parseTime(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, day = '', time = '', fraction = '', zone = ''] = match;
  // A leap second counts as the second before it.
  const seconds = Date.parse(`${day}T${time.replace(/60$/, '59')}${zone.toUpperCase()}`);
  if (Number.isNaN(seconds) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) return undefined;
  return seconds * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Formats microseconds since 1970, in UTC with six digits of a second. */
export function formatTime(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0');
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
}
