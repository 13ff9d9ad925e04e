import { describe, expect, test } from '@jest/globals';
import { WebSocket } from 'undici';
import { recount, totals } from './ledger.ts';
import {
  auth,
  cairn,
  customer,
  declarePlan,
  file,
  gateways,
  keyTexts,
  kubo,
  readUntil,
  request,
  rpc,
  startGateway,
  storages,
  stores,
} from './limited-services.ts';

const plan = declarePlan('counted');
const exhausted = declarePlan('exhausted', { creditsPerDay: 0 });

describe('usage', () => {
  test('the ledger equals a recount of the access logs for requests of every kind', async () => {
    const key = await customer(plan);
    const { id: accountId } = await auth.account(key.account);
    for (let round = 0; round < 10; round++) {
      const gateway = gateways[round % gateways.length] ?? gateways[0];
      await rpc(gateway, key, request());
      await rpc(gateway, key, [request(1), request(2, 'eth_blockNumber'), request(3, 'no_such'), 5]);
      await rpc(gateway, key, { ...request(1, 'eth_getBlockByHash'), params: ['0x'] });
      await rpc(gateway, key, '{');
      await kubo(key, 'add', file(round * 1000));
      await kubo(key, 'cat?arg=QmNothing');
    }
    const expected = { eth_chainId: 20, eth_blockNumber: 10, unknown: 30, add: 10, cat: 10 };
    // The last answer arrives before its log line, and the ledger is updated twice a second.
    const [ledger, logged] = await readUntil(
      async () => [await totals(stores, accountId), recount([...gateways, ...storages], accountId)] as const,
      ([inLedger, inLog]) =>
        Object.entries(expected).every(([name, count]) => inLog[name] === count) && inLedger.credits === inLog.credits,
    );
    expect(logged).toMatchObject(expected);
    expect(ledger).toEqual(logged);
    const statement = await cairn.json<{ total: Record<string, number> }>('account', 'statement', key.account);
    expect(statement.total).toMatchObject({ credits: logged.credits, bytesIn: logged.bytesIn });
  });

  test('a killed process loses no flushed usage', async () => {
    const key = await customer(plan);
    const { id: accountId } = await auth.account(key.account);
    const doomed = await startGateway();
    for (let count = 0; count < 25; count++) await rpc(doomed, key, request());
    const flushed = async () => (await totals(stores, accountId)).eth_chainId;
    await readUntil(flushed, (count) => count === 25);
    await doomed.stop('SIGKILL');
    expect(await flushed()).toBe(25);
  });

  test('logs and metrics contain operations, but no keys and secrets', async () => {
    const [key, refused] = [await customer(plan), await customer(exhausted)];
    for (let round = 0; round < 3; round++) for (const _ of storages) await kubo(key, 'add', file(round * 1000));
    for (const gateway of gateways) {
      for (const one of [key, refused])
        for (const body of [request(), [request(1), request(2)], '{']) await rpc(gateway, one, body);
      const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws/v3/${key.id}`);
      const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
      socket.addEventListener('open', () => socket.send(JSON.stringify(request())));
      socket.addEventListener('message', () => socket.close());
      await closed;
    }
    for (const service of [...gateways, ...storages]) {
      const listening = service.log.find(({ adminPort }) => adminPort !== undefined);
      const readMetrics = async () => await (await fetch(`http://127.0.0.1:${listening?.adminPort}/metrics`)).text();
      const operation = storages.includes(service) ? 'add' : 'eth_chainId';
      const pattern = new RegExp(`^cairn_requests_total{operation="${operation}".*outcome="ok".*} (\\d+)$`, 'm');
      const countIn = (metrics: string) => Number(pattern.exec(metrics)?.[1] ?? 0);
      const metrics = await readUntil(readMetrics, (text) => countIn(text) >= 3);
      expect(countIn(metrics)).toBeGreaterThanOrEqual(3);
      for (const text of keyTexts) {
        expect(service.text()).not.toContain(text);
        expect(metrics).not.toContain(text);
      }
    }
    expect(gateways[0].text()).toMatch(/"key":"key_[0-9a-f]{16}"/);
  });
});
