/** Records of one transaction of a copy. */
const batchRecords = 500;

/** Yields items in lists for one transaction each. */
export async function* batches<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchRecords) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
