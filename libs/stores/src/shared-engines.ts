import type { ObjectStore } from '@cairn/object-store';
import type { Postgres } from '@cairn/postgres';
import type { Redis } from '@cairn/redis';
import { blockCacheStates } from './block-caches.ts';
import { createBucketCheck } from './bucket-check.ts';
import { type EngineNumbers, type EngineState, EngineWatch } from './engine-watch.ts';
import type { StoreSettings } from './store-settings.ts';

/** Connections to an engine, which all stores of this process share. */
interface Shared<Engine> {
  readonly engine: Promise<Engine>;
  readonly watch: EngineWatch;
  users: number;
}

/** How to use one kind of engine. */
interface EngineKind<Engine> {
  readonly name: string;
  /** Whether the service cannot serve without it for long. */
  readonly isEssential: boolean;
  open(url: string, settings: StoreSettings): Promise<Engine>;
  /** Creates the check of an engine. It rejects if the engine is away. */
  checkOf(engine: Engine): () => Promise<void>;
  numbers(engine: Engine): EngineNumbers;
}

const none: EngineNumbers = { gauges: {}, counters: {}, failures: {} };

/** Engines of one kind by URL. Stores share the connections; the last one that is closed ends them. */
class SharedEngines<Engine extends { close(): Promise<void> }> {
  readonly #kind: EngineKind<Engine>;
  readonly #engines = new Map<string, Shared<Engine>>();

  constructor(kind: EngineKind<Engine>) {
    this.#kind = kind;
  }

  /** Opens a store over an engine. @throws the errors of the engine and of `open` */
  async use<Store extends { close(): Promise<void> }>(
    url: string,
    settings: StoreSettings,
    open: (engine: Engine) => Promise<Store>,
  ): Promise<Store> {
    const shared = this.#engines.get(url) ?? this.#create(url, settings);
    shared.users++;
    try {
      const store = await open(await shared.engine);
      const closeStore = store.close.bind(store);
      let closing: Promise<void> | undefined;
      store.close = () => {
        closing ??= closeStore().finally(() => this.#release(url, shared));
        return closing;
      };
      return store;
    } catch (error) {
      await this.#release(url, shared);
      throw error;
    }
  }

  states(): readonly EngineState[] {
    return [...this.#engines.values()].map(({ watch }) => watch.state());
  }

  #create(url: string, settings: StoreSettings): Shared<Engine> {
    const { name, isEssential, open, checkOf, numbers } = this.#kind;
    let opened: Engine | undefined;
    const engine = open(url, settings).then((ready) => {
      opened = ready;
      return ready;
    });
    const check = engine.then(checkOf);
    // Each store that waits for the engine reports the failure.
    check.catch(() => {});
    const watch = new EngineWatch({
      name,
      isEssential,
      check: async () => (await check)(),
      numbers: () => (opened === undefined ? none : numbers(opened)),
    });
    const shared = { engine, watch, users: 0 };
    this.#engines.set(url, shared);
    return shared;
  }

  async #release(url: string, shared: Shared<Engine>): Promise<void> {
    if (--shared.users > 0) return;
    if (this.#engines.get(url) === shared) this.#engines.delete(url);
    shared.watch.stop();
    const engine = await shared.engine.catch(() => undefined);
    await engine?.close();
  }
}

export const postgresEngines = new SharedEngines<Postgres>({
  name: 'postgres',
  isEssential: true,
  open: async (url) => (await import('@cairn/postgres')).openPostgres({ url }),
  checkOf: (database) => () => checkWritable(database),
  numbers(database) {
    const { connections, connectionsIdle, waiting, statements, repeated, failures } = database.state();
    return { gauges: { connections, connectionsIdle, waiting }, counters: { statements, repeated }, failures };
  },
});

/** Every write fails on a standby, and while `default_transaction_read_only` is on. */
async function checkWritable(database: Postgres): Promise<void> {
  const { rows } = await database.read<{ is_read_only: boolean }>({
    text: "SELECT current_setting('transaction_read_only')::boolean AS is_read_only",
  });
  if (rows[0]?.is_read_only !== true) return;
  throw new Error('PostgreSQL is read-only: it is a standby, or default_transaction_read_only is on.');
}

/** Without Redis each process continues with a share of the limits. */
export const redisEngines = new SharedEngines<Redis>({
  name: 'redis',
  isEssential: false,
  open: async (url) => (await import('@cairn/redis')).openRedis({ url }),
  checkOf: (redis) => async () => {
    const { servers, serversUp } = redis.state();
    if (serversUp < servers || servers === 0) throw new Error(`Redis: ${serversUp} of ${servers} servers answer.`);
  },
  numbers(redis) {
    const { servers, serversUp, calls, failures } = redis.state();
    return { gauges: { servers, connections: serversUp }, counters: { calls }, failures };
  },
});

/** Blocks that are cached are still read without the bucket, and its failures are those of single requests. */
export const objectEngines = new SharedEngines<ObjectStore>({
  name: 'object-store',
  isEssential: false,
  open: async (url, settings) => {
    const { openS3ObjectStore, s3Credentials } = await import('@cairn/object-store/s3');
    return openS3ObjectStore({ url, credentials: s3Credentials(settings) });
  },
  checkOf: (objects) => createBucketCheck(objects),
  numbers: (objects) => ({ ...none, counters: trafficCounters(objects) }),
});

/** Requests, failures and bytes by operation, such as `getRequests`, for the computation of costs. */
function trafficCounters(objects: ObjectStore): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(objects.traffic()).flatMap(([operation, traffic]) => [
      [`${operation}Requests`, traffic.requests],
      [`${operation}Failures`, traffic.failures],
      [`${operation}BytesSent`, traffic.bytesSent],
      [`${operation}BytesReceived`, traffic.bytesReceived],
    ]),
  );
}

/** Returns the states of the engines that stores of this process use, for readiness and metrics. */
export function engineStates(): readonly EngineState[] {
  return [...postgresEngines.states(), ...redisEngines.states(), ...objectEngines.states(), ...blockCacheStates()];
}
