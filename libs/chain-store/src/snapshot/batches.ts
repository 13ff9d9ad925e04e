import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Entry } from '@cairn/embedded-store';

/** Entries per read transaction: a few milliseconds. LMDB frees no page that an open read transaction may still read. */
const batchEntries = 1_000;

/** Yields entries with a key prefix in order, with one short read transaction for each batch. Concurrent writes are allowed. */
export async function* entriesInBatches(
  table: Database,
  prefix: Uint8Array = new Uint8Array(0),
): AsyncGenerator<Entry> {
  const end = endOf(prefix);
  let start = prefix;
  for (;;) {
    const range = { ...(start.length > 0 && { start }), ...(end && { end }), limit: batchEntries };
    const entries = [...table.range(range)];
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < batchEntries) return;
    start = Buffer.concat([last.key, Buffer.alloc(1)]);
    await nextTurn();
  }
}

/** Returns the first key after all keys with a prefix; `undefined` if there is none. */
function endOf(prefix: Uint8Array): Uint8Array | undefined {
  const end = Buffer.from(prefix);
  for (let at = end.length - 1; at >= 0; at--) {
    if (end[at] === 0xff) continue;
    end[at] = (end[at] as number) + 1;
    return end.subarray(0, at + 1);
  }
  return undefined;
}
