import { regionOf } from './keyspace.ts';

/**
 * Returns the time at which a region is announced next. Each region has one slot per interval, by its position in the
 * keyspace, so that announcements are spread over the interval. The result is between half an interval and one and a half
 * intervals after `now`: a record that was announced outside of its slot reaches it, and no record is repeated soon.
 */
export function nextSlot(now: number, intervalMs: number, key: Uint8Array, bits: number): number {
  const { start } = regionOf(key, Math.min(bits, 32));
  const position = (((start[0] ?? 0) << 24) | ((start[1] ?? 0) << 16) | ((start[2] ?? 0) << 8) | (start[3] ?? 0)) >>> 0;
  const offset = Math.floor((position / 2 ** 32) * intervalMs);
  const earliest = now + Math.floor(intervalMs / 2);
  return (Math.floor((earliest - offset) / intervalMs) + 1) * intervalMs + offset;
}
