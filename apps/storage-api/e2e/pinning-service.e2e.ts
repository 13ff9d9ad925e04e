import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cidFor } from '@cairn/cid';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually, everyStatus, PsaClient } from './psa-service.ts';
import { noise, Service } from './service.ts';

const conformance = fileURLToPath(new URL('../../../../shared/conformance/pinning-service/', import.meta.url));
const hasCases = existsSync(`${conformance}cases.json`);

let service: Service;
let ann: PsaClient;
beforeEach(async () => {
  service = new Service();
  await service.makeAccounts();
  ann = new PsaClient(service);
});
afterEach(() => service.remove());

/** CIDs that `pin/ls` lists for an account. */
async function pinned(as = 'ann'): Promise<string[]> {
  const answer = await service.post('pin/ls?type=recursive', { as });
  const { Keys = {} } = (await answer.json()) as { readonly Keys?: object };
  return Object.keys(Keys);
}

async function put(bytes: Uint8Array | string): Promise<string> {
  const [line] = await service.add(bytes, '?pin=false&cid-version=1');
  return line?.Hash ?? '';
}

const absent = (text: string) => cidFor(new TextEncoder().encode(text), { codec: 'raw' }).toString();

describe('the Pinning Service API', () => {
  test('pins stored content, and removes the pin with its last request', async () => {
    await service.start();
    const cid = await put(noise(700_000));
    const one = await ann.add({ cid, name: 'one', meta: { app: 'x' } });
    expect(one).toMatchObject({ status: 'pinned', pin: { cid, name: 'one' } });
    const other = await ann.add({ cid, name: 'other' });
    expect(await pinned()).toEqual([cid]);
    await ann.remove(one.requestid);
    expect((await ann.list()).results.map(({ requestid }) => requestid)).toEqual([other.requestid]);
    expect(await pinned()).toEqual([cid]);
    await ann.remove(other.requestid);
    await eventually(pinned, (cids) => cids.length === 0);
  });

  test('refuses requests without credentials with 401, however often they come', async () => {
    await service.start();
    for (let n = 0; n < 15; n++)
      for (const authorization of ['', 'ann:secret-of-ann', 'Bearer nonsense'])
        expect((await fetch(`${service.url}/psa/pins`, { headers: { authorization } })).status).toBe(401);
  });

  test('keeps a pin that the account has made itself, before or after the request', async () => {
    await service.start();
    const [before, after] = [await put('before'), await put('after')];
    await service.post(`pin/add?arg=${before}`);
    const requests = [await ann.add({ cid: before }), await ann.add({ cid: after })];
    await service.post(`pin/add?arg=${after}`);
    for (const { requestid } of requests) await ann.remove(requestid);
    // A later request is released after the earlier ones.
    const last = await ann.add({ cid: await put('last') });
    await ann.remove(last.requestid);
    await eventually(pinned, (cids) => cids.length === 2);
    expect((await pinned()).sort()).toEqual([before, after].sort());
  });

  test('reports a request as failed after pin/rm of its CID', async () => {
    await service.start();
    const cid = await put('removed');
    const { requestid } = await ann.add({ cid });
    await service.post(`pin/rm?arg=${cid}`);
    expect(await ann.get(requestid)).toMatchObject({
      status: 'failed',
      info: { status_details: expect.stringContaining('removed through /api/v0') },
    });
    expect((await ann.list('status=pinned')).count).toBe(0);
    expect((await ann.list('status=failed')).count).toBe(1);
  });

  test('pins content that arrives after its request', async () => {
    await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
    const { requestid, status } = await ann.add({ cid: absent('late') });
    expect(['queued', 'pinning']).toContain(status);
    const { info } = await eventually(
      () => ann.get(requestid),
      (found) => found.info !== undefined,
    );
    expect(info?.status_details).toMatch(/is retried: .*not/);
    await service.add('late', '?pin=false&raw-leaves=true&cid-version=1');
    expect(await ann.until(requestid, 'pinned')).toMatchObject({ info: { dag_size: '4' } });
  });

  test('fails a request for absent content after STORAGE_PIN_EXPIRY_SECONDS, with the reason', async () => {
    await service.start({ STORAGE_PIN_EXPIRY_SECONDS: '2', STORAGE_BLOCK_WAIT_SECONDS: '0' });
    const cid = absent('never');
    const { requestid } = await ann.add({ cid });
    const { info } = await ann.until(requestid, 'failed');
    expect(info?.status_details).toMatch(/^Gave up after \d+ attempts in 2 s: /);
    expect(info?.status_details).toContain(cid);
  });

  test('fails a request beyond the quota, with the reason', async () => {
    await service.start({ STORAGE_QUOTA_BYTES: '100000' });
    const [line] = await service.add(noise(90_000), '?cid-version=1', 'bob');
    await service.add(noise(50_000, 2));
    const { requestid } = await ann.add({ cid: line?.Hash });
    const { info } = await ann.until(requestid, 'failed');
    expect(info?.status_details).toContain('would exceed its quota');
    expect(await pinned()).toHaveLength(1);
  });

  test('resumes the queue after kill -9, and loses no request', async () => {
    await service.start();
    const late = Array.from({ length: 8 }, (_, index) => `late ${index}`);
    const requests = await Promise.all(late.map((text) => ann.add({ cid: absent(text), name: text })));
    await service.stop('SIGKILL');
    await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
    const { count, results } = await ann.list();
    expect(count).toBe(late.length);
    expect(results.map(({ requestid }) => requestid).sort()).toEqual(requests.map(({ requestid }) => requestid).sort());
    for (const text of late) await service.add(text, '?pin=false&raw-leaves=true&cid-version=1');
    for (const { requestid } of requests) await ann.until(requestid, 'pinned');
    expect(await pinned()).toHaveLength(late.length);
  });

  test('a replaced pin stays until its replacement is pinned', async () => {
    await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
    const cid = await put('old');
    const old = await ann.add({ cid });
    const fresh = await ann.add({ cid: absent('new') }, old.requestid);
    expect((await ann.send('GET', `pins/${old.requestid}`)).status).toBe(404);
    expect(await pinned()).toEqual([cid]);
    await service.add('new', '?pin=false&raw-leaves=true&cid-version=1');
    await ann.until(fresh.requestid, 'pinned');
    expect(await eventually(pinned, (cids) => !cids.includes(cid))).toEqual([absent('new')]);
  });

  test('separates accounts', async () => {
    await service.start();
    const { requestid } = await ann.add({ cid: await put('mine') });
    const bob = new PsaClient(service, 'bob');
    expect((await bob.list()).count).toBe(0);
    for (const method of ['GET', 'DELETE']) expect((await bob.send(method, `pins/${requestid}`)).status).toBe(404);
    expect((await bob.send('POST', `pins/${requestid}`, { cid: absent('x') })).status).toBe(404);
    expect((await ann.get(requestid)).status).toBe('pinned');
  });

  test('requires a Bearer token and a billing card, and charges credits', async () => {
    await service.start();
    const token = Buffer.from('ann:secret-of-ann').toString('base64');
    const asked = (authorization: string) => fetch(`${service.url}/psa/pins`, { headers: { authorization } });
    const answer = await asked(`Bearer ${token}`);
    expect(answer.status).toBe(200);
    const refused = await asked(`Basic ${token}`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="cairn"');
    const unpaid = await new PsaClient(service, 'cardless').send('GET', 'pins');
    expect(unpaid.status).toBe(409);
    expect(await unpaid.json()).toMatchObject({ error: { reason: 'INSUFFICIENT_FUNDS' } });
    await service.logged('"credits":1,"status":200');
  });

  test('lists pages of requests that were added concurrently, each once', async () => {
    await service.start();
    const cid = await put('many');
    const added = await Promise.all(Array.from({ length: 30 }, (_, index) => ann.add({ cid, name: `n${index}` })));
    const seen: string[] = [];
    let before = '';
    for (;;) {
      const { results } = await ann.list(`${everyStatus}&limit=7${before}`);
      if (results.length === 0) break;
      seen.push(...results.map(({ requestid }) => requestid));
      before = `&before=${results.at(-1)?.created}`;
    }
    expect(seen).toHaveLength(added.length);
    expect(new Set(seen)).toEqual(new Set(added.map(({ requestid }) => requestid)));
  });
});

describe('the conformance cases of the Pinning Service API', () => {
  if (!hasCases) process.stderr.write('conformance cases skipped: ../shared/conformance/pinning-service is not here\n');
  (hasCases ? test : test.skip)('pass (skipped where ../shared/conformance is not here)', async () => {
    await service.start();
    const { blocks } = JSON.parse(readFileSync(`${conformance}cases.json`, 'utf8')) as {
      readonly blocks: Readonly<Record<string, { readonly base64: string }>>;
    };
    for (const { base64 } of Object.values(blocks)) {
      const body = new FormData();
      body.set('data', new Blob([Buffer.from(base64, 'base64')]));
      expect((await service.post('block/put?cid-codec=raw', { body })).status).toBe(200);
    }
    const tokens = ['--token', 'ann:secret-of-ann', '--token-b', 'bob:secret-of-bob'];
    const runner = spawn(process.execPath, [`${conformance}run.mjs`, '--url', `${service.url}/psa`, ...tokens]);
    let output = '';
    for (const stream of [runner.stdout, runner.stderr]) stream.on('data', (text) => (output += String(text)));
    await new Promise((resolve) => runner.once('close', resolve));
    expect(output).toMatch(/^(\d+) of \1 cases pass/m);
  });
});
