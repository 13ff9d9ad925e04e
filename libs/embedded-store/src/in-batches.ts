/** Yields items in lists of at most `recordsMax`, such as the records that a copy writes in one transaction. */
export async function* inBatches<T>(items: AsyncIterable<T>, recordsMax: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < recordsMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
