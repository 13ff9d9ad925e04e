import { CID } from '@cairn/cid';
import { BatchedLookups, type Postgres, type Statement } from '@cairn/postgres';
import { cidKey } from '../cid-list.ts';
import type { CollectionState } from '../collection-report.ts';
import { PinNotFoundError, QuotaExceededError } from '../errors.ts';
import { noUsage } from '../pin-records.ts';
import type {
  CollectionLock,
  Pin,
  PinConditions,
  PinMode,
  PinStore,
  Quota,
  ReleasedRoot,
  Root,
  RootChanges,
  Usage,
} from '../pin-store.ts';
import { AccountBatches } from './account-batches.ts';
import { comparePins } from './compare-pins.ts';
import { type ChangedPin, modeNumber, modeOf, type OperationRow } from './pin-operations.ts';
import { operationResults, pinSteps } from './pin-tables.ts';
import { tryTakeLease } from './postgres-lease.ts';
import { listRootChanges } from './root-changes.ts';

interface PinRow {
  readonly cid: Uint8Array;
  readonly mode: number;
  readonly name: string | null;
  readonly added_as: string | null;
  readonly is_requested: boolean;
  readonly created_at: number;
  readonly blocks: number;
  readonly bytes: number;
}

interface PinKey {
  readonly account: string;
  readonly cid: Uint8Array;
}

interface RootRow {
  readonly cid: Uint8Array;
  readonly count: number;
  readonly blocks: number;
  readonly bytes: number;
}

interface ReleasedRow {
  readonly cid: Uint8Array;
  readonly mode: number;
  readonly is_pinned: boolean;
}

/** Rows of one page, about 200 KB. */
const pageRows = 1000;
/** Below the bytes of every CID. */
const noCid = new Uint8Array(0);
const columns = 'cid, mode, name, added_as, is_requested, created_at, blocks, bytes';

class PostgresPinStore implements PinStore {
  readonly #database: Postgres;
  readonly #batches: AccountBatches;
  /** Each add reads the pin that it may replace. */
  readonly #lookups = new BatchedLookups<PinKey, PinRow>((keys) => this.#find(keys));
  readonly #usages = new BatchedLookups<string, Usage>((accounts) => this.#usagesOf(accounts));

  constructor(database: Postgres) {
    this.#database = database;
    this.#batches = new AccountBatches(database);
  }

  async put(account: string, pins: readonly Pin[], { fence, ...quota }: PinConditions = {}): Promise<void> {
    if (pins.length === 0) return;
    requireDone(await this.#batches.run(account, { kind: 'put', pins: withDistinctCids(pins), quota, fence }), quota);
  }

  async putKnownRoot(account: string, pin: Omit<Pin, 'size'>, quota: Quota = {}): Promise<Pin | undefined> {
    // Most pins are of new content. A read before the transaction saves the transaction.
    if (!(await this.isPinned(pin.mode, pin.cid))) return undefined;
    const row = await this.#batches.run(account, { kind: 'putKnownRoot', pins: [pin], quota });
    if (row.outcome === operationResults.rootUnknown) return undefined;
    requireDone(row, quota);
    return { ...pin, size: { blocks: row.known_blocks ?? 0, bytes: row.known_bytes ?? 0 } };
  }

  async remove(account: string, cids: readonly CID[]): Promise<void> {
    if (cids.length === 0) return;
    const distinct = new Set<string>();
    // A repeated CID is refused: its pin is removed already.
    const repeated = cids.find((cid) => distinct.size === distinct.add(cid.toString()).size);
    if (repeated) {
      for (const cid of cids.slice(0, cids.indexOf(repeated)))
        if ((await this.get(account, cid)) === undefined) throw new PinNotFoundError(cid.toString());
      throw new PinNotFoundError(repeated.toString());
    }
    const pins = cids.map((cid) => ({ cid }));
    const { outcome, place } = await this.#batches.run(account, { kind: 'remove', pins, quota: {} });
    if (outcome === operationResults.notPinned) throw new PinNotFoundError(`${pins[place ?? 0]?.cid}`);
  }

  async get(account: string, cid: CID): Promise<Pin | undefined> {
    const row = await this.#lookups.one({ account, cid: cid.bytes });
    return row && pinOf(row);
  }

  /** Looks up pins in one statement, in the order of `keys`. */
  async #find(keys: readonly PinKey[]): Promise<(PinRow | undefined)[]> {
    const { rows } = await this.#database.read<PinRow & { readonly account: string }>({
      name: 'get-pins',
      text: `SELECT account, ${columns} FROM pins
        WHERE (account, cid) IN (SELECT * FROM unnest($1::text[], $2::bytea[]))`,
      values: [keys.map(({ account }) => account), keys.map(({ cid }) => cid)],
    });
    const found = new Map(rows.map((row) => [nameOf(row), row]));
    return keys.map((key) => found.get(nameOf(key)));
  }

  async *list(account: string): AsyncGenerator<Pin> {
    const text = `SELECT ${columns} FROM pins WHERE account = $1 AND cid > $2 ORDER BY cid LIMIT ${pageRows}`;
    const page = (after: Uint8Array) => ({ text, values: [account, after] });
    for await (const row of this.#pages<PinRow>(page, noCid)) yield pinOf(row);
  }

  async usage(account: string): Promise<Usage> {
    return (await this.#usages.one(account)) ?? noUsage;
  }

  async #usagesOf(accounts: readonly string[]): Promise<(Usage | undefined)[]> {
    const { rows } = await this.#database.read<Usage & { readonly account: string }>({
      name: 'pin-usages-of',
      text: 'SELECT account, pins, blocks, bytes FROM pin_usage WHERE account = ANY ($1)',
      values: [[...new Set(accounts)]],
    });
    const usages = new Map(rows.map(({ account, ...usage }) => [account, usage]));
    return accounts.map((account) => usages.get(account));
  }

  assertConsistent(options: { readonly account?: string; readonly signal?: AbortSignal } = {}): Promise<void> {
    return comparePins(this.#database, options);
  }

  async *roots(mode: PinMode, after?: CID): AsyncGenerator<Root> {
    // The accounts of a root have equal sizes, since a DAG has one.
    const text = `SELECT cid, count(*) AS count, min(blocks) AS blocks, min(bytes) AS bytes FROM pins
      WHERE mode = $1 AND cid > $2 GROUP BY cid ORDER BY cid LIMIT ${pageRows}`;
    const page = (from: Uint8Array) => ({ name: 'pin-roots', text, values: [modeNumber(mode), from] });
    for await (const { cid, count, blocks, bytes } of this.#pages<RootRow>(page, after?.bytes ?? noCid))
      yield { cid: cidOf(cid), count, size: { blocks, bytes } };
  }

  rootChanges(position: string | undefined): Promise<RootChanges | undefined> {
    return listRootChanges(this.#database, position);
  }

  async isPinned(mode: PinMode, cid: CID): Promise<boolean> {
    const { count } = await this.#database.read({
      name: 'is-pinned',
      text: 'SELECT FROM pins WHERE mode = $1 AND cid = $2 LIMIT 1',
      values: [modeNumber(mode), cid.bytes],
    });
    return count > 0;
  }

  async *released(account: string): AsyncGenerator<ReleasedRoot> {
    for (const mode of [1, 2]) {
      const text = `SELECT cid, mode,
          EXISTS (SELECT FROM pins p WHERE p.mode = r.mode AND p.cid = r.cid) AS is_pinned
        FROM pin_releases r WHERE account = $1 AND mode = $2 AND cid > $3 ORDER BY cid LIMIT ${pageRows}`;
      const page = (after: Uint8Array) => ({ text, values: [account, mode, after] });
      for await (const row of this.#pages<ReleasedRow>(page, noCid))
        yield { cid: cidOf(row.cid), mode: modeOf(row.mode), isPinned: row.is_pinned };
    }
  }

  /**
   * A root that is pinned without a walk is pinned by some account in every snapshot, so that no release of it is forgotten. A
   * pin that another transaction creates with a walk may be missed, as if it were created after.
   */
  async forgetReleased(account: string, roots: readonly Pick<ReleasedRoot, 'cid' | 'mode'>[]): Promise<void> {
    if (roots.length === 0) return;
    await this.#database.write({
      name: 'forget-released',
      text: `DELETE FROM pin_releases r WHERE (account, mode, cid) IN (
          SELECT account, mode, cid FROM pin_releases JOIN unnest($2::smallint[], $3::bytea[]) AS given (mode, cid) USING (mode, cid)
          WHERE account = $1 ORDER BY account, mode, cid FOR UPDATE OF pin_releases)
        AND NOT EXISTS (SELECT FROM pins p WHERE p.mode = r.mode AND p.cid = r.cid)`,
      values: [account, roots.map(({ mode }) => modeNumber(mode)), roots.map(({ cid }) => cid.bytes)],
    });
  }

  async forgetReleasedBefore(time: number): Promise<void> {
    const text = `WITH page AS MATERIALIZED (
        SELECT account, mode, cid, at FROM pin_releases WHERE at < $1 AND (at, account, mode, cid) > ($2, $3, $4, $5)
        ORDER BY at, account, mode, cid LIMIT ${pageRows}
      ), gone AS (
        DELETE FROM pin_releases r USING page WHERE r.account = page.account AND r.mode = page.mode AND r.cid = page.cid AND r.at < $1
          AND NOT EXISTS (SELECT FROM pins p WHERE p.mode = r.mode AND p.cid = r.cid)
      ) SELECT account, mode, cid, at FROM page ORDER BY at, account, mode, cid`;
    let from: readonly (number | string | Uint8Array)[] = [-1, '', 0, noCid];
    for (;;) {
      const { rows } = await this.#database.write<ReleasedRow & { readonly account: string; readonly at: number }>({
        name: 'forget-released-before',
        text,
        values: [Math.ceil(time), ...from],
      });
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      from = [last.at, last.account, last.mode, last.cid];
    }
  }

  async hasUntrackedSharing(): Promise<boolean> {
    return (await this.#control('shared')) !== undefined;
  }

  async clearUntrackedSharing(): Promise<void> {
    await this.#database.write({ text: "DELETE FROM pin_control WHERE name = 'shared'" });
  }

  async collectionState(): Promise<CollectionState | undefined> {
    const found = await this.#control('collection');
    return found === undefined ? undefined : (JSON.parse(found) as CollectionState);
  }

  async setCollectionState(state: CollectionState): Promise<void> {
    await this.#database.write({
      name: 'set-collection-state',
      text: `INSERT INTO pin_control VALUES ('collection', $1) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`,
      values: [JSON.stringify(state)],
    });
  }

  async #control(name: string): Promise<string | undefined> {
    const { rows } = await this.#database.read<{ readonly value: string }>({
      text: 'SELECT value FROM pin_control WHERE name = $1',
      values: [name],
    });
    return rows[0]?.value;
  }

  tryLockCollection(): Promise<CollectionLock | undefined> {
    return tryTakeLease(this.#database, 'collection');
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}

  /**
   * Streams rows in pages by CID, so that a slow consumer keeps neither a connection nor a snapshot. Statements of one account
   * have no name: a generic plan suits the average account, and may sort all pins of a large one for each page.
   */
  async *#pages<Row extends { readonly cid: Uint8Array }>(
    page: (after: Uint8Array) => Statement,
    after: Uint8Array,
  ): AsyncGenerator<Row> {
    for (let from = after; ; ) {
      const { rows } = await this.#database.read<Row>(page(from));
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      from = last.cid;
    }
  }
}

function requireDone({ outcome, used, growth }: OperationRow, { bytesMax = 0 }: Quota): void {
  if (outcome === operationResults.quotaExceeded) throw new QuotaExceededError(used ?? 0, growth ?? 0, bytesMax);
}

/** Combines pins of one CID as if they were created one after the other: a requested one does not replace one of the account. */
function withDistinctCids(pins: readonly Pin[]): readonly ChangedPin[] {
  const distinct = new Map<string, Pin>();
  for (const pin of pins) {
    const before = distinct.get(pin.cid.toString());
    const isOwn = before !== undefined && pin.isRequested === true && !before.isRequested;
    distinct.set(pin.cid.toString(), isOwn ? { ...pin, name: before.name, isRequested: false } : pin);
  }
  return [...distinct.values()];
}

function cidOf(bytes: Uint8Array): CID {
  return CID.decode(new Uint8Array(bytes));
}

function pinOf({ cid, mode, name, added_as, is_requested, created_at, blocks, bytes }: PinRow): Pin {
  return {
    cid: cidOf(cid),
    mode: modeOf(mode),
    name: name === null ? undefined : (JSON.parse(name) as string),
    ...(added_as !== null && { addedAs: JSON.parse(added_as) as string }),
    ...(is_requested && { isRequested: true }),
    createdAt: created_at,
    size: { blocks, bytes },
  };
}

/** Opens the pins in a database, and creates their tables. @throws the errors of `Postgres.migrate` */
export async function openPostgresPinStore(database: Postgres): Promise<PinStore> {
  await database.migrate({ component: 'pins', steps: pinSteps });
  return new PostgresPinStore(database);
}

function nameOf({ account, cid }: PinKey): string {
  return `${account} ${cidKey(cid)}`;
}
