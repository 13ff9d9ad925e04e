import { inBatches } from '@cairn/embedded-store';
import type { Postgres, Transaction } from '@cairn/postgres';
import { batchRecords, type CopiedPinRequests } from '../requests/copy-pin-requests-to-lmdb.ts';
import type { PinRequest } from '../requests/pin-request.ts';
import { referencedCids } from '../requests/pin-request-records.ts';
import type { PinRequestStore } from '../requests/pin-request-store.ts';
import type { WebhookEvent } from '../webhooks/webhook-store.ts';
import { pinSteps } from './pin-tables.ts';
import { recordOf } from './request-rows.ts';
import { lockAccount, requestSteps } from './request-tables.ts';

/**
 * Copies pin requests of accounts, their webhooks with sealed secrets, and undelivered events into a database. Ids, times and
 * attempts stay. A repeated copy changes nothing.
 * @throws the errors of `Postgres.migrate`
 */
export async function copyPinRequests(
  from: PinRequestStore,
  accounts: readonly string[],
  database: Postgres,
): Promise<CopiedPinRequests> {
  await database.migrate({ component: 'pins', steps: pinSteps });
  await database.migrate({ component: 'pin-requests', steps: requestSteps });
  const copied = { requests: 0, releases: 0, webhooks: 0, events: 0 };
  for (const account of accounts) {
    for await (const requests of inBatches(from.list(account), batchRecords)) {
      await inAccount(database, account, (transaction) => addRequests(transaction, account, requests));
      copied.requests += requests.length;
    }
    const webhook = await from.webhooks.get(account);
    if (webhook !== undefined) {
      const text = 'INSERT INTO pin_webhooks VALUES ($1, $2) ON CONFLICT (account) DO NOTHING';
      await database.write({ text, values: [account, JSON.stringify(webhook)] });
      copied.webhooks++;
    }
    for await (const events of inBatches(from.webhooks.events(account), batchRecords)) {
      await inAccount(database, account, (transaction) => addEvents(transaction, account, events));
      copied.events += events.length;
    }
  }
  for await (const released of inBatches(from.released(), batchRecords)) {
    await database.write({
      text: `INSERT INTO pin_request_releases SELECT * FROM unnest($1::text[], $2::bytea[]) ON CONFLICT DO NOTHING`,
      values: [released.map(({ account }) => account), released.map(({ cid }) => cid.bytes)],
    });
    copied.releases += released.length;
  }
  return copied;
}

/** Adds records in one transaction, and counts those of the account again. */
async function inAccount(
  database: Postgres,
  account: string,
  add: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockAccount(transaction, account);
    await add(transaction);
    await transaction.run({
      text: `UPDATE pin_request_accounts SET
          requests = (SELECT count(*) FROM pin_requests WHERE account = $1),
          open = (SELECT count(*) FROM pin_requests WHERE account = $1 AND due_at IS NOT NULL),
          events = (SELECT count(*) FROM pin_webhook_events WHERE account = $1)
        WHERE account = $1`,
      values: [account],
    });
  });
}

async function addRequests(transaction: Transaction, account: string, requests: readonly PinRequest[]): Promise<void> {
  await transaction.run({
    text: `INSERT INTO pin_requests SELECT $1, id, due_at, NULL, record
      FROM unnest($2::text[], $3::bigint[], $4::text[]) AS given (id, due_at, record) ON CONFLICT DO NOTHING`,
    values: [
      account,
      requests.map(({ id }) => id),
      requests.map(({ dueAt }) => dueAt ?? null),
      requests.map((request) => recordOf(request)),
    ],
  });
  const references = requests.flatMap((request) =>
    referencedCids(request).map((cid) => [cid.bytes, request.id] as const),
  );
  await transaction.run({
    text: `INSERT INTO pin_request_cids SELECT $1, cid, id
      FROM unnest($2::bytea[], $3::text[]) AS given (cid, id) ON CONFLICT DO NOTHING`,
    values: [account, references.map(([bytes]) => bytes), references.map(([, id]) => id)],
  });
  await transaction.run({
    text: 'UPDATE pin_request_accounts SET latest = greatest(latest, $2) WHERE account = $1',
    values: [account, Math.max(...requests.map(({ createdAt }) => createdAt))],
  });
}

async function addEvents(transaction: Transaction, account: string, events: readonly WebhookEvent[]): Promise<void> {
  await transaction.run({
    text: `INSERT INTO pin_webhook_events SELECT $1, id, due_at, record
      FROM unnest($2::text[], $3::bigint[], $4::text[]) AS given (id, due_at, record) ON CONFLICT DO NOTHING`,
    values: [
      account,
      events.map(({ id }) => id),
      events.map(({ dueAt }) => dueAt),
      events.map((event) => JSON.stringify(event)),
    ],
  });
}
