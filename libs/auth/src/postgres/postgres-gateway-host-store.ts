import type { Postgres } from '@cairn/postgres';
import {
  type GatewayHost,
  type GatewayHostStore,
  gatewayHostExists,
  gatewayHostNotFound,
  gatewayHostsFull,
  gatewayHostsMax,
  parseGatewayHost,
  parseHostName,
} from '../gateway-hosts.ts';

const steps = [
  `CREATE TABLE gateway_hosts (
    host text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL
  )`,
];

class PostgresGatewayHostStore implements GatewayHostStore {
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
  }

  async list(): Promise<readonly GatewayHost[]> {
    const { rows } = await this.#database.read<GatewayHost>({
      name: 'gateway-hosts',
      text: 'SELECT host, account_id AS "accountId", created_at AS "createdAt" FROM gateway_hosts ORDER BY host',
    });
    return rows;
  }

  async put(entry: GatewayHost): Promise<void> {
    const host = parseGatewayHost(entry.host);
    await this.#database.transaction(async (transaction) => {
      // Changes are rare, and take turns: the limit counts all rows.
      await transaction.run({ text: 'LOCK TABLE gateway_hosts IN SHARE ROW EXCLUSIVE MODE' });
      const { rows } = await transaction.run<{ hosts: number; owner: string | null }>({
        text: 'SELECT count(*) AS hosts, max(account_id) FILTER (WHERE host = $1) AS owner FROM gateway_hosts',
        values: [host],
      });
      const { hosts = 0, owner = null } = rows[0] ?? {};
      if (owner !== null && owner !== entry.accountId) throw gatewayHostExists(host);
      if (owner === null && hosts >= gatewayHostsMax) throw gatewayHostsFull();
      await transaction.run({
        text: `INSERT INTO gateway_hosts (host, account_id, created_at) VALUES ($1, $2, $3)
               ON CONFLICT (host) DO UPDATE SET created_at = EXCLUDED.created_at`,
        values: [host, entry.accountId, entry.createdAt],
      });
    });
  }

  async remove(text: string): Promise<void> {
    const host = parseHostName(text);
    const { count } = await this.#database.write({
      text: 'DELETE FROM gateway_hosts WHERE host = $1',
      values: [host],
    });
    if (count === 0) throw gatewayHostNotFound(host);
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

/** Opens the dedicated hosts in a database, and creates their table. @throws the errors of `Postgres.migrate` */
export async function openPostgresGatewayHostStore(database: Postgres): Promise<GatewayHostStore> {
  await database.migrate({ component: 'gateway-hosts', steps });
  return new PostgresGatewayHostStore(database);
}
