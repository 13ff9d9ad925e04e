import { ContentMissing } from '@cairn/proven-chain';
import type { WorkSlices } from '../work-slices.ts';

/** Values of reads, some of which may lack content that is not fetched yet. */
class Reads<Value> {
  readonly #values: Value[] = [];
  #missing: ContentMissing | undefined;

  add<Item>(read: (item: Item) => Value, item: Item): void {
    try {
      this.#values.push(read(item));
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      this.#missing = error;
    }
  }

  /** @throws ContentMissing */
  values(): Value[] {
    if (this.#missing !== undefined) throw this.#missing;
    return this.#values;
  }
}

/**
 * Reads all items before it reports that the content of some is missing, so that a network with upstreams fetches it in one round.
 * @throws ContentMissing if content of an item is not fetched yet
 */
export function readAll<Item, Value>(items: Iterable<Item>, read: (item: Item) => Value): Value[] {
  const reads = new Reads<Value>();
  for (const item of items) reads.add(read, item);
  return reads.values();
}

/** Like {@link readAll}, in time slices. @throws ContentMissing, and the reason of the signal of the slices */
export async function readAllInSlices<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Value,
  slices: WorkSlices,
): Promise<Value[]> {
  const reads = new Reads<Value>();
  for (const item of items) {
    const pause = slices.next();
    if (pause !== undefined) await pause;
    reads.add(read, item);
  }
  return reads.values();
}

/** Makes two reads before it reports that the content of one is missing. @throws ContentMissing */
export function readBoth<First, Second>(first: () => First, second: () => Second): [First, Second] {
  return readAll<() => First | Second, First | Second>([first, second], (read) => read()) as [First, Second];
}
