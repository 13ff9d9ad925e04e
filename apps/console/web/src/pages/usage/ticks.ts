/**
 * Even ticks of an axis from 0 to a value at or above `max`.
 * @param base 1000 for counts; 1024 for bytes, so that ticks are whole units
 */
export function evenTicks(max: number, base: 1000 | 1024 = 1000): readonly number[] {
  const least = max <= 0 ? 1 : max / 4;
  const unit = base ** Math.max(0, Math.floor(Math.log(least) / Math.log(base)));
  const factors =
    base === 1000 ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const step = unit * (factors.find((factor) => factor * unit >= least) ?? base);
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < max || ticks.length < 2) ticks.push(ticks.length * step);
  return ticks;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const spacings = [
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  5 * day,
  10 * day,
  30 * day,
  60 * day,
];
const ticksMax = 9;

/** Times of a series that get a label: evenly spaced, at whole units of the given time zone. */
export function timeTicks(times: readonly number[], stepMs: number, offsetMs: number): readonly number[] {
  const spacing = spacings.find((one) => one >= stepMs && (times.length * stepMs) / one <= ticksMax) ?? 90 * day;
  return times.filter((at) => (at + offsetMs) % spacing < stepMs);
}
