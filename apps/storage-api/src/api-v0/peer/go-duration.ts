const units = [
  ['µs', 1e3, 1e6],
  ['ms', 1e6, 1e9],
] as const;

/** Prints nanoseconds as Go's `time.Duration` does: `1.19352ms`, `2m3.5s`. */
export function goDuration(nanoseconds: number): string {
  const total = Math.round(nanoseconds);
  if (total === 0) return '0s';
  if (total < 1e3) return `${total}ns`;
  for (const [unit, size, end] of units) if (total < end) return `${total / size}${unit}`;
  const seconds = total / 1e9;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = Number((seconds - hours * 3600 - minutes * 60).toFixed(9));
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
