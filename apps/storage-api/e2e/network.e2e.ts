import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { cidFor } from '@cairn/cid';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { PeerProcess, type RemoteKubo, startRemoteKubo } from './peer-process.ts';
import { PsaClient } from './psa-service.ts';
import { noise, Service } from './service.ts';

const MiB = 1024 * 1024;

if (peerBinary('kubo') === undefined) {
  // Prints the reason, since Jest does not show the names of skipped tests.
  process.stderr.write(`${howToEnable('kubo')}\n`);
  test.skip(howToEnable('kubo'), () => {});
} else describe('content that only a real Kubo has', network);

function network(): void {
  const service = new Service();
  const gatewayBlocks = new Map<string, Uint8Array>();
  const gateway = createServer((request, response) => {
    const bytes = gatewayBlocks.get(/^\/ipfs\/(\w+)/.exec(request.url ?? '')?.[1] ?? '');
    if (bytes === undefined) response.writeHead(404).end();
    else response.end(bytes);
  });
  let peer: PeerProcess;
  const psa = new PsaClient(service);
  let kubo: RemoteKubo;
  let env: Record<string, string>;

  beforeAll(async () => {
    await service.makeAccounts();
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    const { port } = gateway.address() as AddressInfo;
    peer = new PeerProcess(service.home, { IPFS_PEER_HTTP_GATEWAYS: `http://127.0.0.1:${port}` });
    await peer.start();
    env = {
      IPFS_PEER_URL: peer.url,
      STORAGE_BLOCK_WAIT_SECONDS: '10',
      STORAGE_GC_GRACE_SECONDS: '0',
      STORAGE_GC_INTERVAL_SECONDS: '1',
    };
    await service.start(env);
    const started = await startRemoteKubo();
    if (started === undefined) throw new Error(howToEnable('kubo'));
    kubo = started;
    await connect();
  });
  afterAll(async () => {
    await kubo?.stop();
    await peer.stop();
    await service.remove();
    gateway.closeAllConnections();
    await new Promise((resolve) => gateway.close(resolve));
  });

  /** Connects Kubo to the peer, whose address is in the delegates of a pin request. */
  async function connect(): Promise<void> {
    const { delegates } = (await psa.add({ cid: 'bafkqaaa' })) as unknown as { readonly delegates: readonly string[] };
    const address = delegates.find((text) => text.startsWith('/ip4/127.0.0.1/tcp/'));
    await kubo.call(`swarm/connect?arg=${encodeURIComponent(address ?? '')}`);
  }
  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
  const usage = async () => JSON.parse(await (await service.post('repo/stat')).text()) as { readonly RepoSize: number };

  test('cat, block/get, ls, dag/get and refs read it', async () => {
    const bytes = noise(3 * MiB, 1);
    const file = await kubo.add(bytes);
    expect((await bytesOf(await service.post(`cat?arg=${file}`))).equals(bytes)).toBe(true);
    const other = await kubo.add(noise(100_000, 2));
    expect((await service.post(`block/get?arg=${other}`)).status).toBe(200);
    const third = await kubo.add(noise(2 * MiB, 3));
    expect((await (await service.post(`refs?arg=${third}&recursive=true`)).text()).split('\n').length).toBeGreaterThan(
      2,
    );
    const fourth = await kubo.add(noise(MiB, 4), '&wrap-with-directory=true');
    expect(await (await service.post(`ls?arg=${fourth}`)).text()).toContain(fourth);
    expect((await service.post(`dag/get?arg=${fourth}`)).status).toBe(200);
  });

  test('offline and local commands never leave the machine', async () => {
    const cid = await kubo.add(noise(1000, 10));
    for (const path of [`cat?arg=${cid}&offline=true`, `block/get?arg=${cid}&offline=1`, `cat?arg=${cid}&local=true`]) {
      const answer = await service.post(path);
      expect([path, answer.status]).toEqual([path, 500]);
    }
    expect(await (await service.post(`block/rm?arg=${cid}`)).text()).toContain('could not find');
    expect((await service.post(`cat?arg=${cid}`)).status).toBe(200);
  });

  test('unpinned content counts for no quota, and pinned content does', async () => {
    const before = (await usage()).RepoSize;
    const cid = await kubo.add(noise(2 * MiB, 20));
    await bytesOf(await service.post(`cat?arg=${cid}`));
    expect((await usage()).RepoSize).toBe(before);
    expect((await service.post(`pin/add?arg=${cid}`)).status).toBe(200);
    expect((await usage()).RepoSize).toBeGreaterThanOrEqual(before + 2 * MiB);
  });

  test('content that was collected is fetched again, and is served to Kubo again', async () => {
    const bytes = noise(2 * MiB, 25);
    const cid = await kubo.add(bytes);
    const stored = async () => (await service.post(`cat?arg=${cid}&offline=true`)).status === 200;
    for (let round = 0; round < 2; round++) {
      expect((await service.post(`pin/add?arg=${cid}`)).status).toBe(200);
      expect(await stored()).toBe(true);
      if (round === 1) break;
      await service.post(`pin/rm?arg=${cid}`);
      while (await stored()) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await kubo.call(`pin/rm?arg=${cid}`);
    await kubo.call('repo/gc');
    expect(JSON.parse(await kubo.call(`pin/add?arg=${cid}`))).toEqual({ Pins: [cid] });
  });

  test('pin/add streams progress and pins the whole DAG', async () => {
    const cid = await kubo.add(noise(24 * MiB, 30), '&chunker=size-16384');
    const lines = (await (await service.post(`pin/add?arg=${cid}&progress=true`)).text()).trim().split('\n');
    const values = lines.map((line) => JSON.parse(line) as { readonly Progress?: number; readonly Pins?: string[] });
    expect(values.at(-1)).toEqual({ Pins: [cid] });
    expect(values.at(-2)?.Progress).toBeGreaterThan(1500);
    expect(await (await service.post('pin/verify')).text()).toBe('');
    const read = await bytesOf(await service.post(`cat?arg=${cid}&offline=true`));
    expect(read.length).toBe(24 * MiB);
  });

  test('content that only an HTTP gateway has is read and pinned', async () => {
    const blocks = [80, 81, 82].map((seed) => noise(100_000, seed));
    const cids = blocks.map((bytes) => cidFor(bytes, { codec: 'raw' }).toString());
    for (const [index, cid] of cids.entries()) gatewayBlocks.set(cid, blocks[index] ?? Buffer.alloc(0));
    expect((await bytesOf(await service.post(`cat?arg=${cids[0]}`))).equals(blocks[0] ?? Buffer.alloc(0))).toBe(true);
    expect((await service.post(`pin/add?arg=${cids[1]}&arg=${cids[2]}`)).status).toBe(200);
    gatewayBlocks.set(cidFor(noise(10, 83), { codec: 'raw' }).toString(), Buffer.from('wrong'));
    const wrong = cidFor(noise(10, 83), { codec: 'raw' });
    expect((await service.post(`cat?arg=${wrong}&timeout=1s`)).status).toBe(500);
  });

  test('the misses of one account do not delay those of another', async () => {
    const storm = Array.from({ length: 40 }, (_, index) =>
      service.post(`block/get?arg=${cidFor(noise(100, 1000 + index), { codec: 'raw' })}&timeout=4s`, { as: 'ann' }),
    );
    const cid = await kubo.add(noise(300_000, 84));
    expect((await service.post(`cat?arg=${cid}`, { as: 'bob' })).status).toBe(200);
    await Promise.all(storm);
  });

  test('files/cp and pin/update take it', async () => {
    const cid = await kubo.add(noise(MiB, 40));
    expect((await service.post(`files/cp?arg=/ipfs/${cid}&arg=/remote.bin`)).status).toBe(200);
    const from = await kubo.add(noise(1000, 41));
    await service.post(`pin/add?arg=${from}`);
    const to = await kubo.add(noise(MiB, 42));
    expect(await (await service.post(`pin/update?arg=${from}&arg=${to}`)).text()).toContain(to);
  });

  test('pin/add survives kill -9 of the peer, and leaves nothing twice', async () => {
    const bytes = noise(48 * MiB, 50);
    const cid = await kubo.add(bytes, '&chunker=size-65536');
    const answer = await service.post(`pin/add?arg=${cid}&progress=true`);
    const reader = answer.body?.getReader();
    await reader?.read();
    await peer.stop('SIGKILL');
    await peer.start();
    await connect();
    let text = '';
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      text += Buffer.from(part.value).toString();
    expect(text.trim().split('\n').at(-1)).toBe(JSON.stringify({ Pins: [cid] }));
    expect((await bytesOf(await service.post(`cat?arg=${cid}&offline=true`))).equals(bytes)).toBe(true);
  });

  test('ipfs pin remote add of content that only Kubo has becomes pinned', async () => {
    const remote = async (...args: readonly string[]) => {
      const settings = { ...process.env, IPFS_PATH: kubo.repository, IPFS_TELEMETRY: 'off' };
      const { stdout } = await promisify(execFile)(kubo.binary, ['pin', 'remote', ...args], { env: settings });
      return stdout.trim();
    };
    await remote('service', 'add', 'cairn', `${service.url}/psa`, 'ann:secret-of-ann');
    const cid = await kubo.add(noise(5 * MiB, 60));
    expect(await remote('add', '--service=cairn', '--name=remote', cid)).toContain('pinned');
    expect(await remote('ls', '--service=cairn', `--cid=${cid}`)).toContain('remote');
    expect((await service.post(`cat?arg=${cid}&offline=true`)).status).toBe(200);
  });

  test('the queue survives kill -9 of both processes: nothing is lost, nothing is twice', async () => {
    const cids: string[] = [];
    for (let index = 0; index < 12; index++) cids.push(await kubo.add(noise(2 * MiB, 70 + index)));
    const added = await Promise.all(cids.map((cid) => psa.add({ cid, origins: [kubo.address] })));
    await Promise.all([service.stop('SIGKILL'), peer.stop('SIGKILL')]);
    await peer.start();
    await service.start(env);
    for (const { requestid } of added) await psa.until(requestid, 'pinned');
    const { results } = await psa.list('status=queued,pinning,pinned,failed&limit=1000');
    const mine = results.filter(({ pin }) => cids.includes(pin.cid));
    expect(mine.map(({ status }) => status)).toEqual(cids.map(() => 'pinned'));
    expect(await (await service.post('pin/verify')).text()).toBe('');
  });

  test('a request that ends takes its fetches with it', async () => {
    const absent = 'bafkreieogg3nlfsw2hfbomanvhdrw5bfftdn67pui7rcg6gqo4ofuramfa';
    const abort = new AbortController();
    const reading = fetch(`${service.url}/api/v0/cat?arg=${absent}&timeout=60s`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('ann:secret-of-ann').toString('base64')}` },
      signal: abort.signal,
    });
    const wanted = async () => await kubo.call(`bitswap/wantlist?peer=${await peerId()}`);
    while (!(await wanted()).includes(absent)) await new Promise((resolve) => setTimeout(resolve, 20));
    abort.abort();
    await expect(reading).rejects.toThrow();
    while ((await wanted()).includes(absent)) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  async function peerId(): Promise<string> {
    const { delegates } = (await psa.add({ cid: 'bafkqaaa' })) as unknown as { readonly delegates: readonly string[] };
    return delegates[0]?.split('/p2p/')[1] ?? '';
  }
}
