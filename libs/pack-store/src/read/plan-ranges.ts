import { packLimits } from '../limits.ts';

/** Part of a pack, with the number of each wanted block in it. */
export interface PlannedRange {
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
  readonly members: readonly number[];
}

interface Place {
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

/** Groups places into few ranges: neighbours with a small gap are read together, up to a length. */
export function planRanges(places: readonly Place[]): PlannedRange[] {
  const order = places.map((place, index) => ({ ...place, index }));
  order.sort((one, other) => (one.pack === other.pack ? one.offset - other.offset : one.pack < other.pack ? -1 : 1));
  const ranges: { pack: string; offset: number; length: number; members: number[] }[] = [];
  for (const { pack, offset, length, index } of order) {
    const last = ranges.at(-1);
    const end = last === undefined ? 0 : last.offset + last.length;
    const isNear = last?.pack === pack && offset - end < packLimits.gapBytesMax;
    if (last !== undefined && isNear && offset + length - last.offset <= packLimits.rangeBytesMax) {
      last.length = Math.max(last.length, offset + length - last.offset);
      last.members.push(index);
    } else ranges.push({ pack, offset, length, members: [index] });
  }
  return ranges;
}
