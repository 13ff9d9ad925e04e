import { StoreError } from '@cairn/embedded-store';
import type { Postgres, Transaction } from '@cairn/postgres';
import type { Usage } from '../pin-store.ts';

/** Pins that one statement counts, a fraction of a second. */
const pinsPerStatement = 200_000;
/** Accounts whose usage one statement reads. */
const accountsPerPage = 1000;

interface UsageRow extends Usage {
  readonly account: string;
}

interface Sums extends Usage {
  readonly last: Uint8Array | null;
}

/**
 * Compares the number, blocks and bytes of the pins of each account with its usage. Every account is read in one snapshot.
 * Roots are counted from the pins themselves, and a pin without usage violates a foreign key.
 * @throws STORE_CORRUPT
 */
export async function comparePins(
  database: Postgres,
  { account, signal }: { readonly account?: string; readonly signal?: AbortSignal },
): Promise<void> {
  if (account !== undefined) return await compareAccounts(database, [account], signal);
  for (let after = ''; ; ) {
    signal?.throwIfAborted();
    const { rows } = await database.read<UsageRow>({
      name: 'pin-usages',
      text: `SELECT account, pins FROM pin_usage WHERE account > $1 ORDER BY account LIMIT ${accountsPerPage}`,
      values: [after],
    });
    await compareAccounts(
      database,
      rows.map((row) => row.account),
      signal,
    );
    const last = rows.at(-1);
    if (last === undefined || rows.length < accountsPerPage) return;
    after = last.account;
  }
}

/** Compares small accounts of a page with one statement, and large ones in steps of one snapshot. */
async function compareAccounts(
  database: Postgres,
  accounts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { rows } = await database.read<UsageRow>({
    text: 'SELECT account, pins FROM pin_usage WHERE account = ANY ($1) ORDER BY account',
    values: [accounts],
  });
  let group: string[] = [];
  let pins = 0;
  for (const row of rows) {
    if (pins + row.pins > pinsPerStatement && group.length > 0) {
      await compareGroup(database, group);
      group = [];
      pins = 0;
    }
    signal?.throwIfAborted();
    if (row.pins > pinsPerStatement) await compareLarge(database, row.account, signal);
    else {
      group.push(row.account);
      pins += row.pins;
    }
  }
  await compareGroup(database, group);
}

async function compareGroup(database: Postgres, accounts: readonly string[]): Promise<void> {
  if (accounts.length === 0) return;
  const { rows } = await database.read<{ readonly account: string; readonly expected: number; readonly found: number }>(
    {
      name: 'compare-pins',
      text: `SELECT u.account, u.pins AS expected, c.pins AS found
      FROM pin_usage u CROSS JOIN LATERAL (
        SELECT count(*) AS pins, coalesce(sum(blocks), 0) AS blocks, coalesce(sum(bytes), 0) AS bytes
        FROM pins p WHERE p.account = u.account
      ) c
      WHERE u.account = ANY ($1) AND (u.pins, u.blocks, u.bytes) IS DISTINCT FROM (c.pins, c.blocks, c.bytes)
      LIMIT 1`,
      values: [accounts],
    },
  );
  const [different] = rows;
  if (different) throw disagreement(different.account, different.found, different.expected);
}

/** A serializable transaction reads one snapshot in all its statements. */
async function compareLarge(database: Postgres, account: string, signal: AbortSignal | undefined): Promise<void> {
  const run = async (transaction: Transaction) => {
    const { rows } = await transaction.run<Usage>({
      text: 'SELECT pins, blocks, bytes FROM pin_usage WHERE account = $1',
      values: [account],
    });
    const sums = { pins: 0, blocks: 0, bytes: 0 };
    for (let after: Uint8Array = new Uint8Array(0); ; ) {
      signal?.throwIfAborted();
      const step = await transaction.run<Sums>({
        text: `SELECT count(*) AS pins, sum(blocks)::bigint AS blocks, sum(bytes)::bigint AS bytes, (array_agg(cid ORDER BY cid DESC))[1] AS last
          FROM (SELECT cid, blocks, bytes FROM pins WHERE account = $1 AND cid > $2 ORDER BY cid LIMIT ${pinsPerStatement}) page`,
        values: [account, after],
      });
      const [page] = step.rows;
      if (page?.last == null) break;
      sums.pins += page.pins;
      sums.blocks += page.blocks;
      sums.bytes += page.bytes;
      after = page.last;
    }
    const [usage] = rows;
    const isEqual = usage?.pins === sums.pins && usage.blocks === sums.blocks && usage.bytes === sums.bytes;
    if (!isEqual) throw disagreement(account, sums.pins, usage?.pins ?? 0);
  };
  await database.transaction(run, { isSerializable: true });
}

function disagreement(account: string, found: number, expected: number): StoreError {
  const problem =
    found === expected
      ? `the sizes of the ${found} pins of account ${account} differ from its usage`
      : `account ${account} has ${found} pins, its usage counts ${expected}`;
  return new StoreError('STORE_CORRUPT', `The pins in PostgreSQL are damaged: ${problem}.`, {
    hint: 'Restore the database from a backup. No garbage is collected until then.',
    details: { account },
  });
}
