import type { LoggedRequest } from '@cairn/metering';

const columns = [
  'time',
  'service',
  'operation',
  'network',
  'key',
  'outcome',
  'error',
  'limit',
  'durationMs',
  'credits',
  'requestId',
  'origin',
] as const;

/** Requests as CSV (RFC 4180), with a header line. Times are ISO 8601. */
export function requestsCsv(requests: readonly LoggedRequest[]): string {
  const lines = requests.map((request) => {
    const row = { ...request, time: new Date(request.at).toISOString() };
    return columns.map((name) => csvField(row[name] ?? '')).join(',');
  });
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}

/** Quotes a field. A leading sign is defused, because spreadsheets would run it as a formula. */
function csvField(value: string | number): string {
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+@\t\r-]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
