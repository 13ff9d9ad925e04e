import type { Postgres, Transaction } from '@cairn/postgres';
import type { CollectionLock } from '../pin-store.ts';
import type { DueRange } from '../requests/due-range.ts';
import type { PinRequest } from '../requests/pin-request.ts';
import { newRequestId } from '../requests/pin-request-records.ts';
import {
  type Webhook,
  type WebhookEvent,
  type WebhookNotice,
  type WebhookStore,
  webhookLimits,
  webhookPlace,
} from '../webhooks/webhook-store.ts';
import { withSecrets } from '../webhooks/with-secrets.ts';
import { tryTakeLease } from './postgres-lease.ts';
import { type AccountRow, lockAccount } from './request-tables.ts';

interface Recorded {
  readonly account: string;
  readonly record: string;
}

/** Webhooks that are locked in one transaction, and events that are read with one statement. */
const pageRows = 256;

/** Webhooks and their outbox, beside the pin requests. */
export class PostgresWebhookStore implements WebhookStore {
  readonly #database: Postgres;
  readonly #now: () => number;

  constructor(database: Postgres, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Adds an event for the webhook of the account, if it has one. `row` is the locked row of the account. */
  async record(
    transaction: Transaction,
    row: AccountRow,
    { key: _, origins: __, holds: ___, dueAt: ____, ...request }: PinRequest,
  ): Promise<void> {
    await this.#add(transaction, row, { account: request.account, request });
  }

  notify(account: string, notice: WebhookNotice): Promise<boolean> {
    return this.#database.transaction(async (transaction) =>
      this.#add(transaction, await lockAccount(transaction, account), { account, notice }),
    );
  }

  async #add(
    transaction: Transaction,
    row: AccountRow,
    subject: Pick<WebhookEvent, 'account' | 'request' | 'notice'>,
  ): Promise<boolean> {
    if (row.events >= webhookLimits.waitingMax) return false;
    const now = this.#now();
    const id = newRequestId(now * 1000);
    const event: WebhookEvent = { id, createdAt: now, ...subject, attempts: 0, dueAt: now };
    const { count } = await transaction.run({
      name: 'record-webhook-event',
      text: `WITH added AS (
          INSERT INTO pin_webhook_events SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT FROM pin_webhooks WHERE account = $1)
          RETURNING account
        ) UPDATE pin_request_accounts a SET events = events + 1 FROM added WHERE a.account = added.account`,
      values: [event.account, event.id, event.dueAt, JSON.stringify(event)],
    });
    return count > 0;
  }

  async get(account: string): Promise<Webhook | undefined> {
    const text = 'SELECT record FROM pin_webhooks WHERE account = $1';
    const { rows } = await this.#database.read<Recorded>({ name: 'get-webhook', text, values: [account] });
    return rows[0] && (JSON.parse(rows[0].record) as Webhook);
  }

  async set(account: string, webhook: Webhook): Promise<void> {
    await this.#database.write({
      name: 'set-webhook',
      text: 'INSERT INTO pin_webhooks VALUES ($1, $2) ON CONFLICT (account) DO UPDATE SET record = EXCLUDED.record',
      values: [account, JSON.stringify(webhook)],
    });
  }

  remove(account: string): Promise<boolean> {
    return this.#database.transaction(async (transaction) => {
      await lockAccount(transaction, account);
      const { count } = await transaction.run({
        text: 'DELETE FROM pin_webhooks WHERE account = $1',
        values: [account],
      });
      await transaction.run({
        text: `WITH gone AS (DELETE FROM pin_webhook_events WHERE account = $1)
          UPDATE pin_request_accounts SET events = 0 WHERE account = $1`,
        values: [account],
      });
      return count > 0;
    });
  }

  async changeSecrets(change: (secret: string, place: string) => string): Promise<number> {
    let changed = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await this.#changePage(after, change);
      changed += page.changed;
      after = page.last;
    }
    return changed;
  }

  #changePage(after: string, change: (secret: string, place: string) => string) {
    return this.#database.transaction(async (transaction) => {
      const { rows } = await transaction.run<Recorded>({
        text: `SELECT account, record FROM pin_webhooks WHERE account > $1 ORDER BY account LIMIT ${pageRows} FOR UPDATE`,
        values: [after],
      });
      const written: Recorded[] = [];
      let changed = 0;
      for (const { account, record } of rows) {
        const webhook = JSON.parse(record) as Webhook;
        const resealed = withSecrets(webhook, (secret) => change(secret, webhookPlace(account)));
        if (resealed.changed > 0) written.push({ account, record: JSON.stringify(resealed.webhook) });
        changed += resealed.changed;
      }
      await transaction.run({
        text: `UPDATE pin_webhooks w SET record = given.record FROM unnest($1::text[], $2::text[]) AS given (account, record)
          WHERE w.account = given.account`,
        values: [written.map(({ account }) => account), written.map(({ record }) => record)],
      });
      return { changed, last: rows.length < pageRows ? undefined : rows.at(-1)?.account };
    });
  }

  async waiting(account: string): Promise<number> {
    const text = 'SELECT events FROM pin_request_accounts WHERE account = $1';
    const { rows } = await this.#database.read<{ readonly events: number }>({ text, values: [account] });
    return rows[0]?.events ?? 0;
  }

  async waitingCount(): Promise<number> {
    const text = 'SELECT coalesce(sum(events), 0)::bigint AS events FROM pin_request_accounts';
    const { rows } = await this.#database.read<{ readonly events: number }>({ text });
    return rows[0]?.events ?? 0;
  }

  async *events(account: string): AsyncGenerator<WebhookEvent> {
    const text = `SELECT id, record FROM pin_webhook_events WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${pageRows}`;
    for (let after = ''; ; ) {
      const values = [account, after];
      const { rows } = await this.#database.read<{ readonly id: string; readonly record: string }>({ text, values });
      for (const { record } of rows) yield JSON.parse(record) as WebhookEvent;
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      after = last.id;
    }
  }

  async firstDue({ after = '', now, except, exceptAccounts }: DueRange): Promise<WebhookEvent | undefined> {
    const { rows } = await this.#database.read<Recorded>({
      name: 'first-due-webhook-event',
      text: `SELECT record FROM pin_webhook_events
        WHERE account > $1 AND due_at <= $2 AND id <> ALL ($3::text[]) AND account <> ALL ($4::text[])
        ORDER BY account, due_at, id LIMIT 1`,
      values: [after, now, [...except], [...exceptAccounts]],
    });
    return rows[0] && (JSON.parse(rows[0].record) as WebhookEvent);
  }

  /** Changes the event only if its time is that of `event`: it may have been removed or moved meanwhile. */
  async settle(event: WebhookEvent, outcome: { readonly dueAt: number } | undefined): Promise<void> {
    const { account, id, dueAt } = event;
    await this.#database.transaction(async (transaction) => {
      await lockAccount(transaction, account);
      if (outcome === undefined) {
        await transaction.run({
          name: 'forget-webhook-event',
          text: `WITH gone AS (DELETE FROM pin_webhook_events WHERE account = $1 AND id = $2 AND due_at = $3 RETURNING account)
            UPDATE pin_request_accounts a SET events = events - 1 FROM gone WHERE a.account = gone.account`,
          values: [account, id, dueAt],
        });
        return;
      }
      const moved: WebhookEvent = { ...event, attempts: event.attempts + 1, dueAt: outcome.dueAt };
      await transaction.run({
        name: 'move-webhook-event',
        text: 'UPDATE pin_webhook_events SET due_at = $4, record = $5 WHERE account = $1 AND id = $2 AND due_at = $3',
        values: [account, id, dueAt, moved.dueAt, JSON.stringify(moved)],
      });
    });
  }

  tryLockWebhooks(): Promise<CollectionLock | undefined> {
    return tryTakeLease(this.#database, 'pin-webhooks');
  }
}
