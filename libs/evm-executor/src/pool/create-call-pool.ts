import type { CallPool } from './call-pool.ts';
import { type CallPoolOptions, workerDataOf } from './call-pool-options.ts';
import { openCallServer } from './call-server.ts';
import { FetchingPool } from './fetching-pool.ts';
import { InlineExecutor } from './inline-executor.ts';
import type { ResumablePool } from './resumable-pool.ts';
import { ThreadPool } from './thread-pool.ts';

/**
 * Creates a pool and waits until its workers are ready.
 * @throws EXECUTION_FAILED if a worker cannot start, for example because a chain does not open
 */
export async function createCallPool(options: CallPoolOptions): Promise<CallPool> {
  const pool = await createResumablePool(options);
  const isFetching = Object.values(options.chains).some(({ fetch }) => fetch !== undefined);
  return isFetching ? new FetchingPool(pool, options) : pool;
}

async function createResumablePool(options: CallPoolOptions): Promise<ResumablePool> {
  const pool = new ThreadPool(options);
  try {
    await pool.started();
    if (!options.inlineGasMax) return pool;
    return new InlineExecutor(pool, await openCallServer(workerDataOf(options), options.inlineGasMax));
  } catch (error) {
    await pool.close();
    throw error;
  }
}
