import type { CID } from '@cairn/cid';
import type { AnnounceRecord, Announcer, RouterOptions } from './content-router.ts';
import { isInRegion, keyOf } from './keyspace.ts';
import { limits } from './limits.ts';
import { withDeadline } from './with-deadline.ts';

/** Numbers of records. */
export interface AnnounceOutcome {
  readonly announced: number;
  /** Records that too few nodes took. */
  readonly failed: number;
}

/**
 * Announces content immediately, apart from a schedule. Records are announced by region, so that many need few lookups.
 * @throws ROUTING_UNAVAILABLE if no record can be announced now; the reason of the signal
 */
export async function announceNow(
  announcer: Announcer,
  cids: readonly CID[],
  { signal }: RouterOptions = {},
): Promise<AnnounceOutcome> {
  let waiting = recordsOf(cids);
  let [announced, failed] = [0, 0];
  for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
    const opening = first;
    const opened = await withDeadline(limits.lookupMs, signal, (deadline) =>
      announcer.openRegion(opening, { signal: deadline }),
    );
    const isHere = (record: AnnounceRecord) => record === opening || isInRegion(record.key, opened.region);
    const here = waiting.filter(isHere);
    waiting = waiting.filter((record) => !isHere(record));
    for (let at = 0; at < here.length; at += limits.pageRecords) {
      const page = here.slice(at, at + limits.pageRecords);
      const taken = await withDeadline(limits.announceMs, signal, (deadline) =>
        opened.announce(page, { signal: deadline }),
      );
      const count = taken.filter(Boolean).length;
      announced += count;
      failed += page.length - count;
    }
  }
  return { announced, failed };
}

/** Returns one record for each multihash, in the order of keys. */
function recordsOf(cids: readonly CID[]): readonly AnnounceRecord[] {
  const records = new Map<string, AnnounceRecord>();
  for (const { multihash } of cids) {
    const key = keyOf(multihash.bytes);
    records.set(Buffer.from(key).toString('hex'), { key, multihash: multihash.bytes });
  }
  return [...records.values()].sort((a, b) => Buffer.compare(a.key, b.key));
}
