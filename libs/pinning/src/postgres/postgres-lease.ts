import { randomUUID } from 'node:crypto';
import type { Postgres } from '@cairn/postgres';
import type { CollectionLock } from '../pin-store.ts';

/** Seconds without renewal after which another process may take a lease. Renewals are at most 15 s apart. */
const leaseSeconds = 60;

/** End of a lease that begins or is renewed now. The clock is that of the server, so that clocks of processes need not agree. */
export const leaseExpiry = `clock_timestamp() + interval '${leaseSeconds} seconds'`;

/** Takes a right that one process has at a time. Resolves to `undefined` while another holder has it. */
export async function tryTakeLease(database: Postgres, name: string): Promise<CollectionLock | undefined> {
  const holder = randomUUID();
  const { count } = await database.write({
    text: `INSERT INTO pin_leases AS lease VALUES ($1, $2, ${leaseExpiry})
      ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
      WHERE lease.expires_at < clock_timestamp()`,
    values: [name, holder],
  });
  if (count === 0) return undefined;
  return {
    async renew() {
      const text = `UPDATE pin_leases SET expires_at = ${leaseExpiry} WHERE name = $1 AND holder = $2`;
      return (await database.write({ text, values: [name, holder] })).count === 1;
    },
    async release() {
      await database.write({ text: 'DELETE FROM pin_leases WHERE name = $1 AND holder = $2', values: [name, holder] });
    },
  };
}
