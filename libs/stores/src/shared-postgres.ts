import type { Postgres } from '@cairn/postgres';
import { type EngineNumbers, type EngineState, EngineWatch } from './engine-watch.ts';

/** Pool of a database, which all stores of this process share. */
interface SharedPool {
  readonly url: string;
  readonly database: Promise<Postgres>;
  readonly watch: EngineWatch;
  users: number;
}

const pools = new Map<string, SharedPool>();

/**
 * Opens a store over the pool of a database. Stores of one process share one pool; the last one that is closed ends it.
 * @throws the errors of `openPostgres`, and of `open`
 */
export async function overPostgres<T extends { close(): Promise<void> }>(
  url: string,
  open: (database: Postgres) => Promise<T>,
): Promise<T> {
  const pool = pools.get(url) ?? createPool(url);
  pool.users++;
  try {
    const store = await open(await pool.database);
    const closeStore = store.close.bind(store);
    let closing: Promise<void> | undefined;
    store.close = () => {
      closing ??= closeStore().finally(() => release(pool));
      return closing;
    };
    return store;
  } catch (error) {
    await release(pool);
    throw error;
  }
}

function createPool(url: string): SharedPool {
  let opened: Postgres | undefined;
  const database = import('@cairn/postgres').then(async ({ openPostgres }) => {
    opened = await openPostgres({ url });
    return opened;
  });
  // Each store that waits for the pool reports the failure.
  database.catch(() => {});
  const watch = new EngineWatch({
    name: 'postgres',
    check: async () => {
      await (await database).read({ text: 'SELECT 1' });
    },
    numbers: () => numbersOf(opened),
  });
  const pool = { url, database, watch, users: 0 };
  pools.set(url, pool);
  return pool;
}

function numbersOf(database: Postgres | undefined): EngineNumbers {
  if (database === undefined) return { gauges: {}, counters: {}, failures: {} };
  const { connections, connectionsIdle, waiting, statements, repeated, failures } = database.state();
  return { gauges: { connections, connectionsIdle, waiting }, counters: { statements, repeated }, failures };
}

async function release(pool: SharedPool): Promise<void> {
  if (--pool.users > 0) return;
  pools.delete(pool.url);
  pool.watch.stop();
  const database = await pool.database.catch(() => undefined);
  await database?.close();
}

/** Returns the states of the engines that stores of this process use, for readiness and metrics. */
export function engineStates(): readonly EngineState[] {
  return [...pools.values()].map(({ watch }) => watch.state());
}
