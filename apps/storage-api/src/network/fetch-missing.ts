import { BlockNotFoundError, type Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type DagSize, type FetchDagOptions, FetchQuota, fetchDag, type WriteSession } from '@cairn/pinning';
import { inheritReadOptions, readOptionsOf } from '../api-v0/read-options.ts';

/**
 * Milliseconds that each further block may take once the first block of a DAG is there: longer than a restart of the peer
 * process or a new connection of a provider takes.
 */
const stallMs = 60_000;
/** Rounds of fetching and work. A block may be collected between the two, so one round may not be enough. */
const roundsMax = 3;

export interface FetchMissingOptions {
  /** Store with the wrappers of the service, which fetches. */
  readonly store: Pick<Blockstore, 'get'>;
  readonly session: WriteSession;
  /** Signal of the request. */
  readonly signal: AbortSignal;
  readonly onSize?: ((size: DagSize) => void) | undefined;
}

/**
 * Runs work that needs a whole DAG, and fetches missing blocks first where the request may. The fetch ends when the DAG exceeds
 * the quota of the account.
 * @throws BLOCK_NOT_FOUND, QUOTA_EXCEEDED, errors of `work`
 */
export async function withWholeDag<T>(root: CID, options: FetchMissingOptions, work: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await work();
    } catch (error) {
      const isFetchable = isCairnError(error, 'BLOCK_NOT_FOUND') && round <= roundsMax;
      if (!isFetchable || !isFetching(options.signal)) throw error;
      await fetchMissing(root, options);
    }
  }
}

/** Reports whether reads of a request may leave the machine. */
export function isFetching(signal: AbortSignal): boolean {
  return readOptionsOf(signal)?.network !== undefined;
}

/** Makes a DAG complete. */
async function fetchMissing(root: CID, { store, session, signal, onSize }: FetchMissingOptions): Promise<void> {
  const quota = new FetchQuota(session);
  await fetchDag(session.store, root, {
    signal,
    fetch: networkFetch(store, signal, root),
    fetchSize: networkFetchSize(signal, root),
    onSize: async (size) => {
      onSize?.(size);
      await quota.check(size);
    },
  });
}

/** Returns a fetch of blocks below a root, with the read options of a request. */
function networkFetch(store: Pick<Blockstore, 'get'>, signal: AbortSignal, root: CID): FetchDagOptions['fetch'] {
  return async (cid, { signal: ended }) => {
    const waitMs = readOptionsOf(signal)?.waitMs ?? 0;
    if (waitMs === 0 || cid.equals(root)) return await store.get(cid, { signal });
    inheritReadOptions(ended, signal, { waitMs: Math.max(stallMs, waitMs) });
    return await store.get(cid, { signal: ended });
  };
}

/** Returns the fetch of blocks without links; undefined for local requests. */
function networkFetchSize(signal: AbortSignal, root: CID): FetchDagOptions['fetchSize'] {
  const { network, waitMs = 0 } = readOptionsOf(signal) ?? {};
  if (network === undefined) return undefined;
  return async (cid, { signal: ended }) => {
    if (waitMs === 0 || cid.equals(root)) return await fetchSize(cid, signal);
    inheritReadOptions(ended, signal, { waitMs: Math.max(stallMs, waitMs) });
    return await fetchSize(cid, ended);
  };
}

/** Stores a missing block for a request, under the rules and counts of its other reads. Returns the length. */
export async function fetchSize(cid: CID, signal: AbortSignal): Promise<number> {
  const { network, denied, work } = readOptionsOf(signal) ?? {};
  if (network === undefined) throw new BlockNotFoundError(cid.toString());
  denied?.assertBlock(cid);
  const bytes = await network.fetchSize(cid, signal);
  work?.blocks([bytes]);
  return bytes;
}
