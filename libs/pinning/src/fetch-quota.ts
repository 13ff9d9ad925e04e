import type { DagSize } from './walk-dag.ts';
import type { WriteSession } from './write-session.ts';

/** Bytes between two checks, so that a fetch exceeds the quota by little and rarely reads the usage. */
const checkEveryBytes = 1024 * 1024;

/**
 * Ends the fetch of a DAG that its account has no room to pin. Fetched blocks count for no account until the DAG is pinned, so
 * without it the whole DAG would be transferred first.
 */
export class FetchQuota {
  readonly #session: Pick<WriteSession, 'assertQuota'>;
  #checkAt = checkEveryBytes;

  constructor(session: Pick<WriteSession, 'assertQuota'>) {
    this.#session = session;
  }

  /** @throws QUOTA_EXCEEDED */
  async check({ bytes }: DagSize): Promise<void> {
    if (bytes < this.#checkAt) return;
    this.#checkAt = bytes + checkEveryBytes;
    await this.#session.assertQuota(bytes);
  }
}
