import { type Database, Environment, inBatches } from '@cairn/embedded-store';
import { accountPrefix, encode } from '../pin-records.ts';
import { pinsFormat } from '../pins-format.ts';
import type { WebhookEvent } from '../webhooks/webhook-store.ts';
import type { PinRequest } from './pin-request.ts';
import {
  cidKeyOf,
  cidPrefix,
  encodeRequest,
  openKey,
  type RequestCounts,
  referencedCids,
  requestKey,
} from './pin-request-records.ts';
import type { PinRequestStore } from './pin-request-store.ts';

/** Records of one transaction of a copy. */
export const batchRecords = 256;

/** Numbers of copied records. */
export interface CopiedPinRequests {
  readonly requests: number;
  readonly releases: number;
  readonly webhooks: number;
  readonly events: number;
}

const present = Buffer.of(1);

/**
 * Copies pin requests of accounts, their webhooks with sealed secrets, and undelivered events into the LMDB environment of the
 * pins. Ids, times and attempts stay. A repeated copy changes nothing.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function copyPinRequestsToLmdb(
  from: PinRequestStore,
  accounts: readonly string[],
  { directory }: { readonly directory: string },
): Promise<CopiedPinRequests> {
  const environment = await Environment.open({ directory, format: pinsFormat });
  const copied = { requests: 0, releases: 0, webhooks: 0, events: 0 };
  try {
    for (const account of accounts) {
      copied.requests += await copyRequests(from, account, environment);
      copied.webhooks += await copyWebhook(from, account, environment);
      copied.events += await copyEvents(from, account, environment);
    }
    const releases = environment.database('request-releases');
    for await (const released of inBatches(from.released(), batchRecords)) {
      await environment.transaction(() => {
        for (const { account, cid } of released) releases.put(cidPrefix(account, cid), present);
      });
      copied.releases += released.length;
    }
    return copied;
  } finally {
    await environment.close();
  }
}

async function copyRequests(from: PinRequestStore, account: string, environment: Environment): Promise<number> {
  const [requests, queue] = [environment.database('requests'), environment.database('request-queue')];
  const cids = environment.database('request-cids');
  const counts: { -readonly [name in keyof RequestCounts]: number } = { requests: 0, open: 0 };
  for await (const batch of inBatches<PinRequest>(from.list(account), batchRecords)) {
    for (const { dueAt } of batch) if (dueAt !== undefined) counts.open++;
    counts.requests += batch.length;
    await environment.transaction(() => {
      for (const request of batch) {
        const id = Buffer.from(request.id, 'hex');
        requests.put(requestKey(account, id), encodeRequest(request));
        if (request.dueAt !== undefined) queue.put(openKey(account, request.dueAt, id), present);
        for (const cid of referencedCids(request)) cids.put(cidKeyOf(account, cid, id), present);
      }
      putCounts(environment.database('request-counts'), account, counts);
    });
  }
  return counts.requests;
}

async function copyWebhook(from: PinRequestStore, account: string, environment: Environment): Promise<number> {
  const webhook = await from.webhooks.get(account);
  if (webhook === undefined) return 0;
  await environment.transaction(() => environment.database('webhooks').put(accountPrefix(account), encode(webhook)));
  return 1;
}

async function copyEvents(from: PinRequestStore, account: string, environment: Environment): Promise<number> {
  const events = environment.database('webhook-events');
  let waiting = 0;
  for await (const batch of inBatches<WebhookEvent>(from.webhooks.events(account), batchRecords)) {
    waiting += batch.length;
    await environment.transaction(() => {
      for (const event of batch) events.put(openKey(account, event.dueAt, Buffer.from(event.id, 'hex')), encode(event));
      putCounts(environment.database('webhook-counts'), account, { waiting });
    });
  }
  return waiting;
}

function putCounts(database: Database, account: string, counts: object): void {
  database.put(accountPrefix(account), encode(counts));
}
