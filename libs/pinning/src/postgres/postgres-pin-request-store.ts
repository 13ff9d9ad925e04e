import { CID, parseCid } from '@cairn/cid';
import type { Postgres, Transaction } from '@cairn/postgres';
import { PinRequestNotFoundError } from '../errors.ts';
import type { CollectionLock } from '../pin-store.ts';
import type { DueRange } from '../requests/due-range.ts';
import { type NewPinRequest, type PinRequest, type PinRequestOutcome } from '../requests/pin-request.ts';
import { idBytesOf, queuedRequest, referencedCids } from '../requests/pin-request-records.ts';
import type { PinRequestRange, PinRequestStore, ReleasedPin } from '../requests/pin-request-store.ts';
import { changePins } from './pin-operations.ts';
import { pinSteps } from './pin-tables.ts';
import { PostgresWebhookStore } from './postgres-webhook-store.ts';
import { PostgresWorker } from './postgres-worker.ts';
import { assertRoom, bytesOf, firstIdAt, type RequestRow, recordOf, requestOf } from './request-rows.ts';
import { lockAccount, requestSteps } from './request-tables.ts';

/** Rows of one page. */
const pageRows = 256;
const columns = 'account, id, due_at, worker, record';
const isClaimed = 'EXISTS (SELECT FROM pin_workers w WHERE w.worker = r.worker AND w.expires_at > clock_timestamp())';

class PostgresPinRequestStore implements PinRequestStore {
  readonly webhooks: PostgresWebhookStore;
  readonly #database: Postgres;
  readonly #now: () => number;
  readonly #worker: PostgresWorker;

  constructor(database: Postgres, now: () => number) {
    this.#database = database;
    this.#now = now;
    this.#worker = new PostgresWorker(database);
    this.webhooks = new PostgresWebhookStore(database, now);
  }

  add(account: string, request: NewPinRequest, { replaces }: { readonly replaces?: string } = {}): Promise<PinRequest> {
    return this.#database.transaction(async (transaction) => {
      const row = await lockAccount(transaction, account);
      const replaced = replaces === undefined ? undefined : await this.#require(transaction, account, replaces);
      assertRoom(row, replaced);
      if (replaced) await this.#erase(transaction, replaced, [parseCid(replaced.cid)]);
      const createdAt = Math.max(this.#now() * 1000, row.latest + 1, (replaced?.createdAt ?? 0) + 1);
      const added = queuedRequest(request, { account, createdAt, dueAt: this.#now(), replaced });
      await transaction.run({
        name: 'add-pin-request',
        text: `WITH added AS (INSERT INTO pin_requests VALUES ($1, $2, $3, NULL, $4)),
          cids AS (INSERT INTO pin_request_cids SELECT $1, cid, $2 FROM unnest($5::bytea[]) AS given (cid))
          UPDATE pin_request_accounts SET requests = requests + 1, open = open + 1, latest = $6 WHERE account = $1`,
        values: [account, added.id, added.dueAt ?? null, recordOf(added), bytesOf(referencedCids(added)), createdAt],
      });
      return added;
    });
  }

  async remove(account: string, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      await lockAccount(transaction, account);
      const request = await this.#require(transaction, account, id);
      await this.#erase(transaction, request, referencedCids(request));
    });
  }

  /** Removes a request from all tables and releases pins. */
  async #erase(transaction: Transaction, request: PinRequest, released: readonly CID[]): Promise<void> {
    await transaction.run({
      name: 'erase-pin-request',
      text: `WITH request AS (DELETE FROM pin_requests WHERE account = $1 AND id = $2),
        cids AS (DELETE FROM pin_request_cids WHERE account = $1 AND id = $2 AND cid = ANY ($3)),
        released AS (INSERT INTO pin_request_releases SELECT $1, cid FROM unnest($4::bytea[]) AS given (cid) ON CONFLICT DO NOTHING)
        UPDATE pin_request_accounts SET requests = requests - 1, open = open - $5 WHERE account = $1`,
      values: [
        request.account,
        request.id,
        bytesOf(referencedCids(request)),
        bytesOf(released),
        request.dueAt === undefined ? 0 : 1,
      ],
    });
  }

  async #require(transaction: Transaction, account: string, id: string): Promise<PinRequest> {
    const found = await this.#find(transaction, account, id);
    if (found === undefined) throw new PinRequestNotFoundError(id);
    return requestOf(found);
  }

  /** Reads a request of an account whose row is locked. */
  async #find(transaction: Transaction, account: string, id: string): Promise<RequestRow | undefined> {
    if (idBytesOf(id) === undefined) return undefined;
    const text = `SELECT ${columns}, ${isClaimed} AS is_claimed FROM pin_requests r WHERE account = $1 AND id = $2`;
    return (await transaction.run<RequestRow>({ name: 'find-pin-request', text, values: [account, id] })).rows[0];
  }

  async get(account: string, id: string): Promise<PinRequest | undefined> {
    if (idBytesOf(id) === undefined) return undefined;
    const text = `SELECT ${columns} FROM pin_requests WHERE account = $1 AND id = $2`;
    const { rows } = await this.#database.read<RequestRow>({ name: 'get-pin-request', text, values: [account, id] });
    return rows[0] && requestOf(rows[0]);
  }

  async *list(account: string, { before, after }: PinRequestRange = {}): AsyncGenerator<PinRequest> {
    const text = `SELECT ${columns} FROM pin_requests WHERE account = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT ${pageRows}`;
    const from = after === undefined ? '' : firstIdAt(after + 1);
    // No id has a digit after `f`.
    for (let end = before === undefined ? 'g' : firstIdAt(before); ; ) {
      const values = [account, from, end];
      const { rows } = await this.#database.read<RequestRow>({ text, values });
      for (const row of rows) yield requestOf(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      end = last.id;
    }
  }

  async *listOf(account: string, cid: CID): AsyncGenerator<PinRequest> {
    const text = `SELECT r.account, r.id, r.due_at, r.worker, r.record FROM pin_request_cids c JOIN pin_requests r USING (account, id)
      WHERE account = $1 AND c.cid = $2 AND id > $3 ORDER BY id LIMIT ${pageRows}`;
    for (let after = ''; ; ) {
      const values = [account, cid.bytes, after];
      const { rows } = await this.#database.read<RequestRow>({ text, values });
      for (const row of rows) {
        const request = requestOf(row);
        if (parseCid(request.cid).equals(cid)) yield request;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      after = last.id;
    }
  }

  /** Changes of an account are in one order, so that one of several processes that begin a request succeeds. */
  begin(account: string, id: string): Promise<boolean> {
    return this.#database.transaction(async (transaction) => {
      const row = await lockAccount(transaction, account);
      const found = await this.#find(transaction, account, id);
      if (found === undefined || found.due_at === null || this.#isOfOther(found)) return false;
      const request = requestOf(found);
      const pinning: PinRequest = { ...request, status: 'pinning' };
      await this.#write(transaction, pinning, this.#worker.id ?? null);
      // Retries of a request are no news.
      if (request.status !== 'pinning' && request.attempts === 0) await this.webhooks.record(transaction, row, pinning);
      return true;
    });
  }

  async report(account: string, id: string, progress: NonNullable<PinRequest['progress']>): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      await lockAccount(transaction, account);
      const found = await this.#find(transaction, account, id);
      if (found === undefined || found.due_at === null || this.#isOfOther(found)) return;
      await this.#write(transaction, { ...requestOf(found), progress }, found.worker);
    });
  }

  finish({ account, id, cid }: PinRequest, outcome: PinRequestOutcome): Promise<PinRequest | undefined> {
    return this.#database.transaction(async (transaction) => {
      const row = await lockAccount(transaction, account);
      const found = await this.#find(transaction, account, id);
      if (found === undefined) {
        await this.#release(transaction, account, cid);
        return undefined;
      }
      if (this.#isOfOther(found)) return undefined;
      const before = requestOf(found);
      if (before.dueAt === undefined) return before;
      const { dueAt: _, holds, reason: __, ...kept } = before;
      if (outcome.status === 'queued') {
        const queued: PinRequest = { ...kept, ...outcome, attempts: before.attempts + 1, ...(holds && { holds }) };
        await this.#write(transaction, queued, null);
        return queued;
      }
      const { progress: ___, ...lasting } = kept;
      const final: PinRequest = { ...lasting, ...outcome };
      await this.#write(transaction, final, null);
      await this.webhooks.record(transaction, row, final);
      await transaction.run({
        text: 'UPDATE pin_request_accounts SET open = open - 1 WHERE account = $1',
        values: [account],
      });
      if (holds !== undefined && !parseCid(holds).equals(parseCid(cid)))
        await this.#dropHeld(transaction, final, holds);
      return final;
    });
  }

  /** Reports whether another process runs the attempt, such as after this process did not renew its lease in time. */
  #isOfOther({ worker, is_claimed }: RequestRow): boolean {
    return worker !== null && worker !== this.#worker.id && is_claimed === true;
  }

  async #write(transaction: Transaction, request: PinRequest, worker: string | null): Promise<void> {
    await transaction.run({
      name: 'write-pin-request',
      text: 'UPDATE pin_requests SET due_at = $3, worker = $4, record = $5 WHERE account = $1 AND id = $2',
      values: [request.account, request.id, request.dueAt ?? null, worker, recordOf(request)],
    });
  }

  async #release(transaction: Transaction, account: string, cid: string): Promise<void> {
    await transaction.run({
      text: 'INSERT INTO pin_request_releases VALUES ($1, $2) ON CONFLICT DO NOTHING',
      values: [account, parseCid(cid).bytes],
    });
  }

  async #dropHeld(transaction: Transaction, { account, id }: PinRequest, holds: string): Promise<void> {
    await transaction.run({
      text: 'DELETE FROM pin_request_cids WHERE account = $1 AND cid = $2 AND id = $3',
      values: [account, parseCid(holds).bytes, id],
    });
    await this.#release(transaction, account, holds);
  }

  async firstDue({ after = '', now, except, exceptAccounts }: DueRange): Promise<PinRequest | undefined> {
    const { rows } = await this.#database.read<RequestRow>({
      name: 'first-due-pin-request',
      text: `SELECT ${columns} FROM pin_requests r
        WHERE due_at IS NOT NULL AND account > $1 AND due_at <= $2 AND id <> ALL ($3::text[]) AND account <> ALL ($4::text[])
          AND (worker IS NULL OR worker = $5 OR NOT ${isClaimed})
        ORDER BY account, due_at, id LIMIT 1`,
      values: [after, now, [...except], [...exceptAccounts], this.#worker.id ?? ''],
    });
    return rows[0] && requestOf(rows[0]);
  }

  async openCount(): Promise<number> {
    const text = 'SELECT coalesce(sum(open), 0)::bigint AS open FROM pin_request_accounts';
    const { rows } = await this.#database.read<{ readonly open: number }>({ text });
    return rows[0]?.open ?? 0;
  }

  async *released(): AsyncGenerator<ReleasedPin> {
    const text = `SELECT account, cid FROM pin_request_releases WHERE (account, cid) > ($1, $2) ORDER BY account, cid LIMIT ${pageRows}`;
    for (let place: readonly [string, Uint8Array] = ['', new Uint8Array(0)]; ; ) {
      const { rows } = await this.#database.read<{ readonly account: string; readonly cid: Uint8Array }>({
        name: 'released-pins',
        text,
        values: [...place],
      });
      for (const { account, cid } of rows) yield { account, cid: CID.decode(new Uint8Array(cid)) };
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      place = [last.account, last.cid];
    }
  }

  /** Requests of the account cannot change between the check and the removal, since its row is locked. */
  async settleReleased({ account, cid }: ReleasedPin): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      await lockAccount(transaction, account);
      const { count } = await transaction.run({
        name: 'unneeded-requested-pin',
        text: `SELECT FROM pins WHERE account = $1 AND cid = $2 AND is_requested
          AND NOT EXISTS (SELECT FROM pin_request_cids WHERE account = $1 AND cid = $2)`,
        values: [account, cid.bytes],
      });
      if (count > 0) await transaction.run(changePins(account, [{ kind: 'remove', pins: [{ cid }], quota: {} }]));
      await transaction.run({
        text: 'DELETE FROM pin_request_releases WHERE account = $1 AND cid = $2',
        values: [account, cid.bytes],
      });
    });
  }

  async isReferenced(account: string, cid: CID): Promise<boolean> {
    const text = 'SELECT FROM pin_request_cids WHERE account = $1 AND cid = $2 LIMIT 1';
    return (await this.#database.read({ text, values: [account, cid.bytes] })).count > 0;
  }

  tryLockQueue(): Promise<CollectionLock | undefined> {
    return this.#worker.register();
  }

  /** The database belongs to its opener. */
  async close(): Promise<void> {}
}

/** Opens the pin requests beside the pins of a database, and creates their tables. @throws the errors of `Postgres.migrate` */
export async function openPostgresPinRequestStore(
  database: Postgres,
  { now = Date.now }: { /** Milliseconds since 1970. Default: the clock. */ readonly now?: () => number } = {},
): Promise<PinRequestStore> {
  await database.migrate({ component: 'pins', steps: pinSteps });
  await database.migrate({ component: 'pin-requests', steps: requestSteps });
  return new PostgresPinRequestStore(database, now);
}
