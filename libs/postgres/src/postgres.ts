import pg from 'pg';
import {
  endsConnection,
  hasNoAnswer,
  isConnectionFailure,
  isRepeatable,
  outcomeUnknown,
  PostgresError,
  postgresError,
} from './errors.ts';
import { postgresLimits } from './limits.ts';
import { Listener, type NoticeOptions } from './listener.ts';
import { type Migrations, migrate } from './migrate.ts';
import { parsePostgresUrl } from './parse-url.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…`, in the form of libpq. */
  readonly url: string;
  /** Name that the server shows in `pg_stat_activity`. */
  readonly applicationName?: string;
  readonly connectionsMax?: number;
  readonly statementMs?: number;
  /** Called with errors of idle connections and of listening, which no call reports. */
  readonly onError?: (error: unknown) => void;
}

/** Value of a parameter. Arrays are used with `unnest` for batches. */
export type Parameter = string | number | bigint | boolean | Uint8Array | null | readonly Parameter[];

/** A statement that the server parses once for each connection. */
export interface Statement {
  /** Name of the prepared statement, unique in the process. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly Parameter[];
}

/** Rows of a statement. `count` is the number of rows that it read or changed. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly count: number;
}

/** Statements within one transaction. */
export interface Transaction {
  run<Row>(statement: Statement): Promise<Rows<Row>>;
}

/** State of a pool, and counters since its start. */
export interface PostgresState {
  /** Open connections of the pool, idle ones included. */
  readonly connections: number;
  readonly connectionsIdle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
  readonly statements: number;
  /** Attempts that were repeated after a conflict or a lost connection. */
  readonly repeated: number;
  /** Failed calls by code. */
  readonly failures: Readonly<Record<string, number>>;
}

/** A database with the rules that all stores share. Integers of 8 bytes are numbers; larger ones are refused. */
export interface Postgres {
  /** Runs a statement that changes nothing. A lost connection is replaced, and the statement runs again. @throws POSTGRES_UNAVAILABLE, POSTGRES_BUSY */
  read<Row>(statement: Statement): Promise<Rows<Row>>;
  /**
   * Runs one statement as a transaction of its own. It is durable when the promise resolves.
   * @throws POSTGRES_UNAVAILABLE if it did not run, POSTGRES_OUTCOME_UNKNOWN if it may have run
   */
  write<Row>(statement: Statement): Promise<Rows<Row>>;
  /**
   * Runs a transaction, again after a conflict with another one. `work` must have no other effects.
   * @throws POSTGRES_UNAVAILABLE, POSTGRES_BUSY, POSTGRES_OUTCOME_UNKNOWN, and the errors of `work`
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: { readonly isSerializable?: boolean },
  ): Promise<T>;
  /** Brings the tables of one component to its version, once in all processes. @throws POSTGRES_SCHEMA_NEWER, POSTGRES_SCHEMA_CHANGED */
  migrate(migrations: Migrations): Promise<void>;
  /** Returns the state of the pool and its counters, for metrics. */
  state(): PostgresState;
  /** Receives notices of a channel. Notices may be lost, so that a reader polls as well. */
  listen(options: NoticeOptions): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Connects to a database. @throws POSTGRES_URL_INVALID, POSTGRES_UNAVAILABLE, POSTGRES_VERSION_UNSUPPORTED */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  const database = new PooledPostgres(options);
  try {
    await database.requireVersion();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Versions of the server: 15 has the statements that the stores use (MERGE, NULLS NOT DISTINCT). */
const serverVersionMin = 150_000;

const { types } = pg;
const int8 = types.builtins.INT8;

/** Parses integers of 8 bytes to numbers. @throws POSTGRES_REFUSED beyond 2^53, which no store uses */
function parseInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new PostgresError('POSTGRES_REFUSED', `The database returned ${text}; a number of at most 2^53 was expected.`);
}

const parsers = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    type === int8 && format !== 'binary' ? parseInteger : types.getTypeParser(type, format as 'text'),
} as pg.CustomTypesConfig;

class PooledPostgres implements Postgres {
  readonly #pool: pg.Pool;
  readonly #options: PostgresOptions;
  readonly #config: pg.ClientConfig;
  readonly #listeners = new Set<Listener>();
  readonly #failures: Record<string, number> = {};
  #statements = 0;
  #repetitions = 0;
  #isClosed = false;

  constructor(options: PostgresOptions) {
    this.#options = options;
    const { applicationName = 'cairn', connectionsMax = postgresLimits.connectionsMax } = options;
    const statementMs = options.statementMs ?? postgresLimits.statementMs;
    this.#config = {
      ...parsePostgresUrl(options.url),
      application_name: applicationName,
      connectionTimeoutMillis: postgresLimits.connectMs,
      statement_timeout: statementMs,
      // The client waits longer than the server, so that the server's own refusal arrives first.
      query_timeout: statementMs + 2000,
      idle_in_transaction_session_timeout: statementMs,
      keepAlive: true,
      types: parsers,
    };
    this.#pool = new pg.Pool({ ...this.#config, max: connectionsMax, allowExitOnIdle: true });
    this.#pool.on('error', (error) => options.onError?.(postgresError(error)));
  }

  async requireVersion(): Promise<void> {
    const { rows } = await this.read<{ version: string }>({
      text: "SELECT current_setting('server_version_num') AS version",
    });
    const version = Number(rows[0]?.version);
    if (version >= serverVersionMin) return;
    throw new PostgresError(
      'POSTGRES_VERSION_UNSUPPORTED',
      `The server is PostgreSQL ${Math.floor(version / 10_000)}.`,
      {
        hint: 'Use PostgreSQL 15 or newer.',
      },
    );
  }

  async read<Row>(statement: Statement): Promise<Rows<Row>> {
    try {
      return await this.#once<Row>(statement);
    } catch (error) {
      if (!isConnectionFailure(error) && !isRepeatable(error)) throw this.#failure(error);
      // A pooled connection may have ended while it was idle. The second attempt gets a new one.
      this.#repetitions++;
      return await this.#once<Row>(statement).catch((second: unknown) => Promise.reject(this.#failure(second)));
    }
  }

  state(): PostgresState {
    const { totalCount: connections, idleCount: connectionsIdle, waitingCount: waiting } = this.#pool;
    const counters = { statements: this.#statements, repeated: this.#repetitions, failures: { ...this.#failures } };
    return { connections, connectionsIdle, waiting, ...counters };
  }

  /** Converts and counts the error of a call. Errors of the caller's own work are not counted. */
  #failure(error: unknown): unknown {
    const failure = postgresError(error);
    if (failure instanceof PostgresError) this.#failures[failure.code] = (this.#failures[failure.code] ?? 0) + 1;
    return failure;
  }

  #run<Row>(client: pg.PoolClient, statement: Statement): Promise<Rows<Row>> {
    this.#statements++;
    return run<Row>(client, statement);
  }

  write<Row>(statement: Statement): Promise<Rows<Row>> {
    return this.#repeated(async () => {
      const client = await this.#connect();
      try {
        return await this.#run<Row>(client, statement);
      } catch (error) {
        throw hasNoAnswer(error) ? outcomeUnknown(error) : error;
      } finally {
        this.#release(client);
      }
    });
  }

  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { isSerializable = false }: { readonly isSerializable?: boolean } = {},
  ): Promise<T> {
    const begin = isSerializable ? 'BEGIN ISOLATION LEVEL SERIALIZABLE' : 'BEGIN';
    return this.#repeated(async () => {
      const client = await this.#connect();
      try {
        await client.query(begin);
        const result = await work({ run: (statement) => this.#run(client, statement) });
        await client.query('COMMIT').catch((error: unknown) => {
          if (!hasNoAnswer(error)) throw error;
          broken.add(client);
          throw outcomeUnknown(error);
        });
        return result;
      } catch (error) {
        if (endsConnection(error)) broken.add(client);
        // A closed connection rolls back as well. A ROLLBACK on one that does not answer would wait once more.
        if (!broken.has(client)) await client.query('ROLLBACK').catch(() => broken.add(client));
        throw error;
      } finally {
        this.#release(client);
      }
    });
  }

  migrate(migrations: Migrations): Promise<void> {
    return migrate(this.#config, migrations);
  }

  async listen(options: NoticeOptions): Promise<() => Promise<void>> {
    const listener = new Listener(this.#config, options, (error) => this.#options.onError?.(postgresError(error)));
    this.#listeners.add(listener);
    // A caller may start to listen while the pool closes. Its listener never connects.
    if (this.#isClosed) await listener.stop();
    await listener.start();
    return async () => {
      this.#listeners.delete(listener);
      await listener.stop();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#listeners].map((listener) => listener.stop()));
    this.#listeners.clear();
    await this.#pool.end();
  }

  async #once<Row>(statement: Statement): Promise<Rows<Row>> {
    const client = await this.#connect();
    try {
      return await this.#run<Row>(client, statement);
    } finally {
      this.#release(client);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    if (!watched.has(client)) {
      watched.add(client);
      // Without a listener, an error between two statements would end the process.
      client.on('error', () => broken.add(client));
    }
    return client;
  }

  #release(client: pg.PoolClient): void {
    client.release(broken.has(client));
  }

  /** Runs an attempt again after a conflict, with growing pauses. */
  async #repeated<T>(attempt: () => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt();
      } catch (error) {
        if (!isRepeatable(error) || attempts >= postgresLimits.attemptsMax) throw this.#failure(error);
        this.#repetitions++;
        const pause = postgresLimits.pauseMs * 2 ** attempts * (0.5 + Math.random());
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}

/** Clients with a listener for errors, and clients that are closed when they are released. */
const watched = new WeakSet<pg.PoolClient>();
const broken = new WeakSet<pg.PoolClient>();

async function run<Row>(client: pg.PoolClient, { name, text, values = [] }: Statement): Promise<Rows<Row>> {
  try {
    const { rows, rowCount } = await client.query<Row & pg.QueryResultRow>({
      ...(name !== undefined && { name }),
      text,
      values: values.map(encoded),
    });
    return { rows, count: rowCount ?? 0 };
  } catch (error) {
    if (endsConnection(error)) broken.add(client);
    throw error;
  }
}

/** Bytes must be a Buffer for `pg`, also in arrays. */
function encoded(value: Parameter): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (Array.isArray(value)) return value.map(encoded);
  return typeof value === 'bigint' ? value.toString() : value;
}
