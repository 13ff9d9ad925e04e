import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cidFor } from '@cairn/cid';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openLmdbPinRequestStore } from '../requests/lmdb-pin-request-store.ts';
import type { PinRequestStore } from '../requests/pin-request-store.ts';
import { newWebhookSecret, signWebhook } from './sign-webhook.ts';
import { type DeliveryResult, WebhookSender, webhookSenderLimits } from './webhook-sender.ts';
import { type WebhookEvent, webhookLimits } from './webhook-store.ts';

let directory: string;
let now = 1_000_000;
let store: PinRequestStore;
let senders: WebhookSender[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-webhooks-'));
  now = 1_000_000;
  senders = [];
  store = await openLmdbPinRequestStore({ directory, now: () => now });
});
afterEach(async () => {
  for (const sender of senders) await sender.stop();
  await store.close();
  rmSync(directory, { recursive: true });
});

const webhook = { url: 'https://a.example/hook', secret: newWebhookSecret(), createdAt: 1 };
const add = (account: string, text: string) =>
  store.add(account, { cid: cidFor(Buffer.from(text), { codec: 'raw' }).toString(), key: 'key_1' });

async function pin(account: string, text: string) {
  const request = await add(account, text);
  await store.begin(account, request.id);
  await store.finish(request, { status: 'pinned' });
  return request;
}

function start(send: (event: WebhookEvent) => Promise<DeliveryResult>): WebhookSender {
  const sender = new WebhookSender({ store: store.webhooks, send, now: () => now });
  senders.push(sender);
  sender.start();
  return sender;
}

async function until(passes: () => boolean | Promise<boolean>) {
  for (let tries = 0; tries < 500; tries++) {
    if (await passes()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the condition was never met');
}

// Published in the specification of Standard Webhooks.
test('signWebhook returns the published signature', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', time: 1_614_265_330_000, body: '{"test": 2432232314}' };
  expect(signWebhook(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('changes of requests are delivered in order, for accounts with a webhook only', async () => {
  await store.webhooks.set('a', webhook);
  const { id } = await pin('a', 'x');
  await pin('b', 'x');
  const events: string[] = [];
  start(async ({ account, request }) => {
    events.push(`${account} ${request?.id === id} ${request?.status}`);
    return 'delivered';
  });
  await until(async () => (await store.webhooks.waitingCount()) === 0);
  expect(events.sort()).toEqual(['a true pinned', 'a true pinning']);
});

test('a retried request has one event for its first attempt and one for its end', async () => {
  await store.webhooks.set('a', webhook);
  const request = await add('a', 'x');
  for (let attempt = 0; attempt < 3; attempt++) {
    await store.begin('a', request.id);
    await store.finish(request, { status: 'queued', reason: 'absent', dueAt: now });
  }
  await store.finish(request, { status: 'failed', reason: 'absent' });
  expect(await store.webhooks.waiting('a')).toBe(2);
});

test('a failed delivery is repeated with its id after the delays, then dropped', async () => {
  await store.webhooks.set('a', webhook);
  const request = await add('a', 'x');
  await store.finish(request, { status: 'pinned' });
  const ids = new Set<string>();
  let attempts = 0;
  const sender = start(async ({ id }) => {
    ids.add(id);
    attempts++;
    throw new Error('unreachable');
  });
  for (const [index, delay] of webhookSenderLimits.retryMs.entries()) {
    await until(() => sender.counts.retried === index + 1);
    sender.wake();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(attempts).toBe(index + 1);
    now += delay;
    sender.wake();
  }
  await until(() => sender.counts.dropped === 1);
  expect([ids.size, attempts, await store.webhooks.waitingCount()]).toEqual([1, 10, 0]);
});

test('an event survives a reopening, and an interrupted delivery is repeated', async () => {
  await store.webhooks.set('a', webhook);
  await store.finish(await add('a', 'x'), { status: 'pinned' });
  let isCalled = false;
  const sender = new WebhookSender({
    store: store.webhooks,
    now: () => now,
    send: (_, signal) => {
      isCalled = true;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  sender.start();
  await until(() => isCalled);
  await sender.stop();
  await store.close();
  store = await openLmdbPinRequestStore({ directory, now: () => now });
  const delivered: WebhookEvent[] = [];
  start(async (event) => {
    delivered.push(event);
    return 'delivered';
  });
  await until(() => delivered.length === 1);
  expect(delivered[0]).toMatchObject({ account: 'a', attempts: 0, request: { status: 'pinned' } });
});

test('a slow receiver takes two permits and delays no other account', async () => {
  for (const account of ['a', 'b']) {
    await store.webhooks.set(account, webhook);
    for (let index = 0; index < 10; index++) await store.finish(await add(account, `${index}`), { status: 'pinned' });
  }
  let waiting = 0;
  let end = () => {};
  const blocked = new Promise<void>((resolve) => {
    end = resolve;
  });
  start(async ({ account }) => {
    if (account === 'a') {
      waiting++;
      await blocked;
    }
    return 'delivered';
  });
  await until(async () => (await store.webhooks.waiting('b')) === 0);
  expect(waiting).toBe(2);
  end();
  await until(async () => (await store.webhooks.waitingCount()) === 0);
});

test('a receiver that is gone loses its webhook and its events, and the outbox is bounded', async () => {
  await store.webhooks.set('a', webhook);
  for (let index = 0; index < 20; index++) await store.finish(await add('a', `${index}`), { status: 'pinned' });
  start(async () => 'gone');
  await until(async () => (await store.webhooks.waitingCount()) === 0);
  expect(await store.webhooks.get('a')).toBeUndefined();
  expect(await store.webhooks.waiting('a')).toBe(0);
  expect(await store.webhooks.remove('a')).toBe(false);
  expect(webhookLimits.waitingMax).toBeLessThanOrEqual(10_000);
});
