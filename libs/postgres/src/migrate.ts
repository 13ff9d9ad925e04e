import { createHash } from 'node:crypto';
import pg from 'pg';
import { isConnectionFailure, PostgresError, postgresError } from './errors.ts';
import { postgresLimits } from './limits.ts';

/** Statements that create and change the tables of one component. Released steps never change; new ones are appended. */
export interface Migrations {
  /** Component such as `pins`. Each has versions of its own. */
  readonly component: string;
  /** SQL of each version, from 1. Processes of the version before must work with its result. */
  readonly steps: readonly string[];
}

/** Key of the advisory lock: the text `cairn` and `mig` as bytes. */
const lockKey = '7161679872453896551';

const table = `CREATE TABLE IF NOT EXISTS cairn_migrations (
  component text NOT NULL,
  version integer NOT NULL,
  digest text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (component, version)
)`;

/** Applies missing steps, each in a transaction, under an advisory lock of the database. */
export async function migrate(config: pg.ClientConfig, migrations: Migrations): Promise<void> {
  // A connection of its own: a step may take longer than statements of requests.
  const timeout = postgresLimits.migrationStatementMs;
  const client = new pg.Client({
    ...config,
    connectionTimeoutMillis: postgresLimits.migrationConnectMs,
    statement_timeout: timeout,
    query_timeout: timeout + 2000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(${lockKey})`);
    await client.query(table);
    await applyMissing(client, migrations);
  } catch (error) {
    throw isConnectionFailure(error) || !(error instanceof PostgresError) ? postgresError(error) : error;
  } finally {
    // The end of the connection releases the lock.
    await client.end().catch(() => {});
  }
}

async function applyMissing(client: pg.Client, { component, steps }: Migrations): Promise<void> {
  const { rows } = await client.query<{ version: number; digest: string }>(
    'SELECT version, digest FROM cairn_migrations WHERE component = $1 ORDER BY version',
    [component],
  );
  if (rows.length > steps.length)
    throw new PostgresError(
      'POSTGRES_SCHEMA_NEWER',
      `The tables of ${component} have version ${rows.length}; this program knows ${steps.length}.`,
      { hint: 'Start the newer version of this program.', details: { component } },
    );
  for (const [index, step] of steps.entries()) {
    const applied = rows[index];
    const digest = createHash('sha256').update(step).digest('hex');
    if (applied === undefined) await apply(client, { component, version: index + 1, step, digest });
    else if (applied.digest !== digest)
      throw new PostgresError(
        'POSTGRES_SCHEMA_CHANGED',
        `Version ${index + 1} of the tables of ${component} was created by other statements.`,
        { hint: 'Use the database with the program that created it.', details: { component } },
      );
  }
}

async function apply(
  client: pg.Client,
  { component, version, step, digest }: { component: string; version: number; step: string; digest: string },
): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(step);
    await client.query('INSERT INTO cairn_migrations (component, version, digest) VALUES ($1, $2, $3)', [
      component,
      version,
      digest,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
