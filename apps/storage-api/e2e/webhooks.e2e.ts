import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { PsaClient } from './psa-service.ts';
import { noise, Service } from './service.ts';

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const service = new Service();
const psa = new PsaClient(service);
const deliveries: Delivery[] = [];
let server: Server;
let url: string;
let status = 200;
const env = { STORAGE_WEBHOOK_PRIVATE: 'yes', STORAGE_PIN_EXPIRY_SECONDS: '1' };

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      deliveries.push({ headers: request.headers, body });
      response.writeHead(status).end('ignored');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=1`;
  await service.makeAccounts();
  await service.start(env);
});
afterAll(async () => {
  await service.remove();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
afterEach(() => {
  deliveries.length = 0;
  status = 200;
});

async function setWebhook(target = url): Promise<string> {
  const answer = await psa.send('PUT', 'webhook', { url: target });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { secret: string }).secret;
}

/** Waits for deliveries. A missing one fails the test, and does not keep the run from its end. */
async function delivered(count: number): Promise<readonly Delivery[]> {
  const signal = AbortSignal.timeout(60_000);
  while (deliveries.length < count) await setTimeout(20, undefined, { signal });
  return deliveries;
}

/** Verifies a delivery as the README shows. */
function isSigned({ headers, body }: Delivery, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

const pinContent = async (seed: number) => {
  const [line] = await service.add(noise(1000, seed), '?pin=false&cid-version=1');
  return await psa.add({ cid: line?.Hash ?? '', name: `n${seed}`, meta: { app: 'a' } });
};

test('changes of a pin request arrive signed, with the payload of Standard Webhooks', async () => {
  const secret = await setWebhook();
  const { requestid } = await pinContent(1);
  const found = [...(await delivered(2))];
  expect(found.every((delivery) => isSigned(delivery, secret))).toBe(true);
  const payloads = found.map(({ body }) => JSON.parse(body));
  expect(payloads.map(({ type }) => type).sort()).toEqual(['pin.pinned', 'pin.pinning']);
  expect(payloads.find(({ type }) => type === 'pin.pinned')).toMatchObject({
    timestamp: expect.any(String),
    data: { requestid, status: 'pinned', pin: { name: 'n1', meta: { app: 'a' } } },
  });
  expect(new Set(found.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
});

test('a request that fails reports its reason', async () => {
  await setWebhook();
  const absent = await psa.add({ cid: 'bafkreieogg3nlfsw2hfbomanvhdrw5bfftdn67pui7rcg6gqo4ofuramfa' });
  await psa.until(absent.requestid, 'failed');
  const found = (await delivered(2)).map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'pin.failed');
  expect(found.data).toMatchObject({ requestid: absent.requestid, reason: expect.stringContaining('Gave up') });
});

test('events survive kill -9 and arrive with their ids', async () => {
  const secret = await setWebhook();
  status = 500;
  await pinContent(2);
  const before = new Set((await delivered(2)).map(({ headers }) => headers['webhook-id']));
  await service.stop('SIGKILL');
  deliveries.length = 0;
  status = 200;
  await service.start(env);
  // Failed deliveries are repeated after 5 s.
  const after = await delivered(2);
  expect(new Set(after.map(({ headers }) => headers['webhook-id']))).toEqual(before);
  expect(after.every((delivery) => isSigned(delivery, secret))).toBe(true);
});

test('a new secret signs beside the previous one', async () => {
  const before = await setWebhook();
  const after = await setWebhook();
  await pinContent(3);
  // Both events of the pin, so that none arrives during the next test.
  const [first] = await delivered(2);
  expect(first && [isSigned(first, before), isSigned(first, after)]).toEqual([true, true]);
});

test('a webhook is read without its secret, removed, and absent for other accounts', async () => {
  await setWebhook();
  const read = await (await psa.send('GET', 'webhook')).json();
  expect(read).toEqual({ url, created: expect.any(String), waiting: expect.any(Number) });
  expect((await new PsaClient(service, 'bob').send('GET', 'webhook')).status).toBe(404);
  expect((await psa.send('DELETE', 'webhook')).status).toBe(204);
  expect((await psa.send('GET', 'webhook')).status).toBe(404);
  await pinContent(4);
  await setTimeout(300);
  expect(deliveries).toEqual([]);
});

test('status 410 removes the webhook', async () => {
  await setWebhook();
  status = 410;
  await pinContent(5);
  await delivered(1);
  while ((await psa.send('GET', 'webhook')).status !== 404) await setTimeout(20);
});

test('private addresses and other schemes are refused by default', async () => {
  await service.stop('SIGKILL');
  await service.start({ STORAGE_PIN_EXPIRY_SECONDS: '1' });
  for (const target of [
    'http://service.example/hook',
    'https://127.0.0.1/hook',
    'https://[::ffff:169.254.169.254]/latest',
    'https://2130706433/hook',
    'https://user:secret@service.example/hook',
    'ftp://service.example/',
    'hook',
  ]) {
    const answer = await psa.send('PUT', 'webhook', { url: target });
    expect([target, answer.status]).toEqual([target, 400]);
  }
  // A name is resolved at each delivery.
  await setWebhook('https://localhost:1/hook');
  await pinContent(6);
  await setTimeout(500);
  expect(deliveries).toEqual([]);
});
