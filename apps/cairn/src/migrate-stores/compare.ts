import { createHash } from 'node:crypto';

/** Number of records of a stream, and a hash over their JSON in order. */
export interface Digest {
  readonly count: number;
  readonly hash: string;
}

/** Counts and hashes the records of a stream, one at a time. */
export async function digestOf(items: AsyncIterable<unknown> | Iterable<unknown>): Promise<Digest> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const item of items) {
    hash.update(JSON.stringify(item)).update('\n');
    count++;
  }
  return { count, hash: hash.digest('hex') };
}

/** Describes the difference of two digests; empty for equal ones. */
export function differences(name: string, one: Digest, other: Digest): readonly string[] {
  if (one.count !== other.count) return [`${name}: ${one.count} in the source, ${other.count} in the copy`];
  return one.hash === other.hash ? [] : [`${name}: the records of the source and the copy differ`];
}

/** Runs work with a store of each side, and closes both. */
export async function withBoth<Store extends { close(): Promise<void> }, T>(
  open: readonly [() => Promise<Store>, () => Promise<Store>],
  work: (from: Store, to: Store) => Promise<T>,
): Promise<T> {
  const from = await open[0]();
  try {
    const to = await open[1]();
    try {
      return await work(from, to);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
