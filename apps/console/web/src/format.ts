const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** `1.5 MiB` */
export function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

const whole = new Intl.NumberFormat('en');
const compactNumber = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345` */
export function count(value: number): string {
  return whole.format(value);
}

/** `€19.00`, from the smallest unit of the currency */
export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** `12.3K` */
export function compact(value: number): string {
  return compactNumber.format(value);
}

/** Date and time in the time zone of the browser. */
export function time(milliseconds: number): string {
  return new Date(milliseconds).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** `3 minutes ago` */
export function ago(milliseconds: number, now = Date.now()): string {
  const seconds = Math.round((milliseconds - now) / 1000);
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(seconds, 'second');
}

/** `bafybei…q5dm` */
export function short(text: string, length = 14): string {
  return text.length <= length + 5 ? text : `${text.slice(0, length)}…${text.slice(-4)}`;
}

/** `2 min 5 s` */
export function duration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Rough age, with one unit: `45 s`, `7 min`, `3 h`, `529 days` */
export function age(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${count(Math.floor(seconds / 86_400))} days`;
}
