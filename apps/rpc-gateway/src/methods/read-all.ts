import { ContentMissing } from '@cairn/proven-chain';
import type { WorkSlices } from '../work-slices.ts';

/**
 * Reads all items before it reports that the content of some is missing, so that a network with upstreams fetches it in one round.
 * @throws ContentMissing if content of an item is not fetched yet
 */
export function readAll<Item, Value>(items: Iterable<Item>, read: (item: Item) => Value): Value[] {
  const values: Value[] = [];
  let missing: ContentMissing | undefined;
  for (const item of items) {
    try {
      values.push(read(item));
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      missing = error;
    }
  }
  if (missing !== undefined) throw missing;
  return values;
}

/** Like {@link readAll}, in time slices. @throws ContentMissing, and the reason of the signal of the slices */
export async function readAllInSlices<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Value,
  slices: WorkSlices,
): Promise<Value[]> {
  const values: Value[] = [];
  let missing: ContentMissing | undefined;
  for (const item of items) {
    const pause = slices.next();
    if (pause !== undefined) await pause;
    try {
      values.push(read(item));
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      missing = error;
    }
  }
  if (missing !== undefined) throw missing;
  return values;
}

/** Makes two reads before it reports that the content of one is missing. @throws ContentMissing */
export function readBoth<First, Second>(first: () => First, second: () => Second): [First, Second] {
  return readAll<() => First | Second, First | Second>([first, second], (read) => read()) as [First, Second];
}
