import { runInSlices, Slices } from './slices.ts';

/** Items per run of the merge sort. */
const runLength = 512;

/** Sorts a long list by a merge sort in slices. The sort is stable. */
export function sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  slices: Pick<Slices, 'step'> = new Slices(),
): Promise<readonly T[]> {
  return runInSlices(sortSteps(items, compare), slices);
}

function* sortSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<undefined, readonly T[]> {
  let from: T[] = [];
  for (let at = 0; at < items.length; at += runLength) {
    for (const item of items.slice(at, at + runLength).sort(compare)) from.push(item);
    yield;
  }
  for (let width = runLength; width < from.length; width *= 2) {
    const to: T[] = [];
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(start + 2 * width, from.length);
      let [left, right] = [start, middle];
      while (left < middle || right < end) {
        const isLeft = right >= end || (left < middle && compare(from[left] as T, from[right] as T) <= 0);
        to.push(from[isLeft ? left++ : right++] as T);
        if (to.length % runLength === 0) yield;
      }
    }
    from = to;
  }
  return from;
}

/** Compares texts by their UTF-8 bytes. */
export function compareByBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return bytesRank(one) - bytesRank(other);
  }
  return a.length - b.length;
}

/** Maps surrogates above all other units: UTF-8 sorts characters beyond U+FFFF last, UTF-16 units sort them before U+E000. */
function bytesRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
