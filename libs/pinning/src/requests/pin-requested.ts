import { type CID, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { Pinning } from '../pinning.ts';
import { visitDag } from '../walk-dag.ts';
import type { WriteSession } from '../write-session.ts';
import type { ContentSource, FetchOptions } from './content-source.ts';
import type { PinRequest } from './pin-request.ts';

export interface PinRequestedOptions {
  readonly pinning: Pick<Pinning, 'get'>;
  /** Session of the account of the request. */
  readonly session: WriteSession;
  readonly content: ContentSource;
  readonly signal: AbortSignal;
}

/** Rounds of fetching and pinning. A block may be collected between the two, so one round may not be enough. */
const fetchRoundsMax = 3;

/**
 * Pins the DAG of a request, and fetches its missing blocks first. An existing recursive pin of the account stays as it is.
 * @throws BLOCK_NOT_FOUND, QUOTA_EXCEEDED, CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE, the reason of the signal
 */
export async function pinRequested(
  request: PinRequest,
  { pinning, session, content, signal }: PinRequestedOptions,
): Promise<void> {
  const cid = parseCid(request.cid);
  const before = await pinning.get(request.account, cid);
  if (before?.mode === 'recursive') return;
  const how = { name: request.name, isRequested: true };
  for (let round = 1; ; round++) {
    try {
      await session.pin(cid, how);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!isCairnError(error, 'BLOCK_NOT_FOUND') || round > fetchRoundsMax) throw error;
      await fetchMissing(cid, session, content, { signal, origins: request.origins ?? [] });
    }
  }
}

/** Walks a DAG and stores its missing blocks in the session, where they count against the quota. */
async function fetchMissing(
  root: CID,
  { store }: WriteSession,
  content: ContentSource,
  options: FetchOptions,
): Promise<void> {
  const touchMany = async (cids: readonly CID[]) => {
    for (const cid of cids) {
      options.signal.throwIfAborted();
      if (await store.has(cid)) continue;
      const bytes = await content.fetch(cid, options);
      if (!(await store.has(cid))) await store.putMany([{ cid, bytes }]);
    }
    return [];
  };
  const walk = visitDag(store, root, { signal: options.signal, touchMany });
  while (!(await walk.next()).done);
}
