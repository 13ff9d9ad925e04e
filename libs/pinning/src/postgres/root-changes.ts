import { CID } from '@cairn/cid';
import type { Postgres } from '@cairn/postgres';
import type { RootChanges } from '../pin-store.ts';
import { modeOf } from './pin-operations.ts';
import { prunedChanges } from './pin-tables.ts';

const pageRows = 1000;

interface ChangeRow {
  /** Oldest transaction that runs. Changes of earlier ones are all visible. */
  readonly horizon: string;
  readonly is_pruned: boolean | null;
  readonly transaction_id: string | null;
  readonly id: number;
  readonly account: string;
  readonly mode: number;
  readonly cid: Uint8Array;
}

/**
 * Lists changes in the order of their transactions. Numbers of rows alone would not do: a transaction with a lower number may
 * commit after one with a higher number was read. So changes are listed when no transaction that began before them runs.
 *
 * Changes have no notices: a commit with a notice takes a lock of the whole database, and readers poll every second anyway.
 */
export async function listRootChanges(
  database: Postgres,
  position: string | undefined,
): Promise<RootChanges | undefined> {
  const [transaction, id] = position?.split(':') ?? [];
  const { rows } = await database.read<ChangeRow>({
    name: 'pin-changes',
    text: `SELECT now.horizon::text AS horizon, now.pruned >= $1::xid8 AS is_pruned,
        c.transaction_id::text AS transaction_id, c.id, c.account, c.mode, c.cid
      FROM (
        SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon,
          (SELECT value::xid8 FROM pin_control WHERE name = '${prunedChanges}') AS pruned
      ) now LEFT JOIN LATERAL (
        SELECT * FROM pin_changes
        WHERE (transaction_id, id) > ($1::xid8, $2::bigint) AND transaction_id < now.horizon
        ORDER BY transaction_id, id LIMIT ${pageRows}
      ) c ON true
      ORDER BY c.transaction_id, c.id`,
    values: [transaction ?? null, id ?? null],
  });
  const [first] = rows;
  if (first === undefined || first.is_pruned === true) return undefined;
  const changes = rows.filter((row) => row.transaction_id !== null);
  const last = changes.at(-1);
  const isLast = last === undefined || changes.length < pageRows;
  return {
    roots: changes.map(({ account, mode, cid }) => ({
      account,
      mode: modeOf(mode),
      cid: CID.decode(new Uint8Array(cid)),
    })),
    position: isLast ? `${first.horizon}:0` : `${last.transaction_id}:${last.id}`,
    isLast,
  };
}
