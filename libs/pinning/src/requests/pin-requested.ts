import { parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { fetchDag } from '../fetch-dag.ts';
import { FetchQuota } from '../fetch-quota.ts';
import type { Pinning } from '../pinning.ts';
import type { DagSize } from '../walk-dag.ts';
import type { WriteSession } from '../write-session.ts';
import type { ContentSource } from './content-source.ts';
import type { PinRequest } from './pin-request.ts';

export interface PinRequestedOptions {
  readonly pinning: Pick<Pinning, 'get'>;
  /** Session of the account of the request. */
  readonly session: WriteSession;
  readonly content: ContentSource;
  readonly signal: AbortSignal;
  /** Called with the size of the DAG so far while its blocks are fetched. */
  readonly onSize?: (size: DagSize) => void;
}

/** Rounds of fetching and pinning. A block may be collected between the two, so one round may not be enough. */
const fetchRoundsMax = 3;

/**
 * Pins the DAG of a request, and fetches its missing blocks first. An existing recursive pin of the account stays as it is.
 * @throws BLOCK_NOT_FOUND, QUOTA_EXCEEDED, CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE, the reason of the signal
 */
export async function pinRequested(
  request: PinRequest,
  { pinning, session, content, signal, onSize }: PinRequestedOptions,
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
      const quota = new FetchQuota(session);
      const origins = request.origins ?? [];
      const fetchSize = content.fetchSize?.bind(content);
      await fetchDag(session.store, cid, {
        signal,
        fetch: (missing, { signal: ended }) => content.fetch(missing, { signal: ended, origins }),
        ...(fetchSize && { fetchSize: (missing, { signal: ended }) => fetchSize(missing, { signal: ended, origins }) }),
        onSize: async (size) => {
          onSize?.(size);
          await quota.check(size);
        },
      });
    }
  }
}
