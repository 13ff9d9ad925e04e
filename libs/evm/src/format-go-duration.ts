/** A duration as Go prints it: `5s`, `1.5s`, `250ms`, `1m0s`. */
export function formatGoDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return milliseconds === 0 ? '0s' : `${milliseconds}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = (milliseconds % 60_000) / 1_000;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
