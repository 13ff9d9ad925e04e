import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { noise, Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = new Service();
  await service.makeAccounts();
});
afterEach(() => service.remove());

const MiB = 1024 * 1024;
const nowait = { STORAGE_BLOCK_WAIT_SECONDS: '0' };

async function lines(path: string, as = 'ann'): Promise<readonly Record<string, unknown>[]> {
  const answer = await service.post(path, { as });
  const text = (await answer.text()).trim();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}
async function put(bytes: Uint8Array | string, as = 'ann', query = ''): Promise<{ status: number; Key: string }> {
  const body = new FormData();
  body.set('data', new Blob([bytes]));
  const answer = await service.post(`block/put${query}`, { as, body });
  const { Key } = (await answer.json()) as { Key: string };
  return { status: answer.status, Key };
}
const has = async (cid: string) => (await service.post(`block/stat?arg=${cid}`)).ok;
const stat = async (as = 'ann') => {
  const [found] = await lines('repo/stat', as);
  return { RepoSize: found?.RepoSize, NumObjects: found?.NumObjects };
};
const collect = async (as = 'ann') =>
  (await lines('repo/gc', as)).map(({ Key }) => (Key as Record<'/', string>)['/']).sort();
/**
 * Collects until this many blocks are removed. In the distributed form a released hold counts for other processes for a moment
 * longer, so that a collection keeps the blocks until then.
 */
async function collectAll(count: number, as = 'ann'): Promise<void> {
  const removed: string[] = [];
  await service.eventually(async () => {
    removed.push(...(await collect(as)));
    expect(removed).toHaveLength(count);
  });
}
const linksOf = async (cid: string) =>
  (await lines(`refs?arg=${cid}&recursive=true&unique=true`)).map(({ Ref }) => String(Ref));

describe('block/rm', () => {
  beforeEach(() => service.start(nowait));

  test('removes blocks that only this account has written, whatever others hold, and a pin above them then fails', async () => {
    const [shared] = await service.add(noise(300_000, 1));
    await service.post(`pin/add?arg=${shared?.Hash}`, { as: 'bob' });
    const [added] = await service.add(noise(600_000, 2), '?pin=false');
    const root = String(added?.Hash);
    const [child] = await linksOf(root);
    expect(await lines(`block/rm?arg=${child}`)).toEqual([{ Hash: child }]);
    expect(await has(String(child))).toBe(false);
    const pinned = await service.post(`pin/add?arg=${root}`);
    expect([pinned.status, await pinned.text()]).toEqual([500, expect.stringContaining(`could not find ${child}`)]);
    const elsewhere = await service.post(`pin/add?arg=${root}`, { as: 'bob' });
    expect(elsewhere.status).toBe(500);
  });

  test('reports for each block whether it is removed, as Kubo does', async () => {
    const [own] = await service.add('pinned');
    const [deep] = await service.add(noise(600_000, 3));
    const [leaf] = await linksOf(String(deep?.Hash));
    const [both, alone] = [await put('written by two'), await put('written by one')];
    await put('written by two', 'bob');
    const absent = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
    const args = [own?.Hash, leaf, both.Key, alone.Key, alone.Key, absent].map((cid) => `arg=${cid}`).join('&');
    const kept = expect.stringContaining('another account');
    expect(await lines(`block/rm?${args}`)).toEqual([
      { Hash: own?.Hash, Error: 'pinned: recursive' },
      { Hash: leaf, Error: `pinned via ${deep?.Hash}` },
      { Hash: both.Key, Error: kept },
      { Hash: alone.Key },
      { Hash: alone.Key, Error: `ipld: could not find ${alone.Key}` },
      { Hash: absent, Error: `ipld: could not find ${absent}` },
    ]);
    expect([await has(both.Key), await has(alone.Key)]).toEqual([true, false]);
    // The claim of this account has ended; that of the other one remains.
    expect([(await stat('bob')).NumObjects, (await lines('refs/local', 'bob')).length]).toEqual([1, 1]);
    expect(await lines(`block/rm?arg=${both.Key}`, 'bob')).toEqual([{ Hash: both.Key, Error: kept }]);
    expect(await stat('bob')).toEqual({ RepoSize: 0, NumObjects: 0 });
  });

  test('force ignores missing blocks, and quiet ignores removed ones', async () => {
    const absent = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
    const [own] = await service.add('pinned');
    expect(await lines(`block/rm?arg=${absent}&force=true`)).toEqual([{ Hash: absent }]);
    expect(await lines(`block/rm?arg=${absent}&force=true&quiet=true`)).toEqual([]);
    expect(await lines(`block/rm?arg=${own?.Hash}&force=true&quiet=true`)).toEqual([
      { Hash: own?.Hash, Error: 'pinned: recursive' },
    ]);
  });

  test('keeps a block that another account pins after its writer has released the pin', async () => {
    const [root] = await service.add(noise(600_000, 4));
    const hash = String(root?.Hash);
    const [leaf] = await linksOf(hash);
    await service.post(`pin/add?arg=${hash}`, { as: 'bob' });
    await service.post(`pin/rm?arg=${hash}`);
    const kept = expect.stringContaining('another account');
    expect(await lines(`block/rm?arg=${leaf}`)).toEqual([{ Hash: leaf, Error: kept }]);
    expect(await collect()).toEqual([]);
    expect((await service.post(`cat?arg=${hash}`, { as: 'bob' })).status).toBe(200);
    await service.post(`pin/rm?arg=${hash}`, { as: 'bob' });
    expect(await collect('bob')).toEqual([]);
    await collectAll(4);
    expect(await has(String(leaf))).toBe(false);
  });
});

describe('unpinned blocks', () => {
  test('count towards the quota and in repo/stat, until they are pinned, removed or collected', async () => {
    await service.start({ ...nowait, STORAGE_QUOTA_BYTES: String(2 * MiB) });
    const [one, two, three] = [noise(MiB, 1), noise(MiB / 2, 2), noise(MiB, 3)];
    const first = await put(one);
    expect(await stat()).toEqual({ RepoSize: MiB, NumObjects: 1 });
    expect((await put(one)).status).toBe(200);
    expect(await stat()).toEqual({ RepoSize: MiB, NumObjects: 1 });
    expect((await put(two)).status).toBe(200);
    expect((await put(three)).status).toBe(403);
    const dag = new FormData();
    dag.set('data', new Blob([JSON.stringify({ text: 'x'.repeat(MiB * 0.9) })]));
    expect((await service.post('dag/put', { body: dag })).status).toBe(403);
    expect((await service.post('add?pin=false', { body: formOf(three) })).status).toBe(403);
    expect(await stat()).toEqual({ RepoSize: 1.5 * MiB, NumObjects: 2 });
    // A pin replaces the claims below it.
    expect((await service.post(`pin/add?arg=${first.Key}`)).status).toBe(200);
    expect(await stat()).toEqual({ RepoSize: 1.5 * MiB, NumObjects: 2 });
    await collectAll(1);
    expect(await stat()).toEqual({ RepoSize: MiB, NumObjects: 1 });
    await service.post(`pin/rm?arg=${first.Key}`);
    expect(await stat()).toEqual({ RepoSize: 0, NumObjects: 0 });
    const [again] = await service.add(three, '?pin=false&raw-leaves=true&chunker=size-1048576');
    expect(await stat()).toEqual({ RepoSize: MiB, NumObjects: 1 });
    expect(await lines(`block/rm?arg=${again?.Hash}`)).toEqual([{ Hash: again?.Hash }]);
    expect(await stat()).toEqual({ RepoSize: 0, NumObjects: 0 });
  });

  test('stay counted over kill -9, and stop with the collection of the service after the grace period', async () => {
    await service.start(nowait);
    const { Key } = await put(noise(100_000, 1));
    await service.stop('SIGKILL');
    await service.start({ ...nowait, STORAGE_GC_GRACE_SECONDS: '0', STORAGE_GC_INTERVAL_SECONDS: '1' });
    expect(await stat()).toEqual({ RepoSize: 100_000, NumObjects: 1 });
    // In the distributed form the holds of a killed process last for a minute.
    const triesMax = service.isDistributed ? 500 : 100;
    for (let tries = 0; (await stat()).RepoSize !== 0; tries++) {
      if (tries === triesMax) throw new Error(`still counted: ${service.log}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(await has(Key)).toBe(false);
  });

  test('count once when they are in the tree of the account', async () => {
    await service.start({ ...nowait, STORAGE_QUOTA_BYTES: String(2 * MiB) });
    const [line] = await service.add(noise(1.5 * MiB, 1), '?pin=false');
    const before = Number((await stat()).RepoSize);
    const copied = await service.post(`files/cp?arg=/ipfs/${line?.Hash}&arg=/copy`);
    expect([copied.status, await copied.text()]).toEqual([200, '']);
    expect(Number((await stat()).RepoSize) - before).toBeLessThan(1000);
    expect(await collect()).toEqual([]);
    await service.post('files/rm?arg=/copy');
    await service.eventually(async () => expect((await collect()).length).toBeGreaterThan(6));
  });
});

test('repo/gc with concurrent callers reports each key to all that wait for it', async () => {
  await service.start(nowait);
  const keys = await Promise.all(Array.from({ length: 20 }, (_, n) => put(`block ${n}`)));
  const removed = new Set<string>();
  await service.eventually(async () => {
    const runs = await Promise.all(Array.from({ length: 10 }, () => collect()));
    for (const key of runs.flat()) removed.add(key);
    expect(removed).toEqual(new Set(keys.map(({ Key }) => Key)));
  });
  expect(await collect()).toEqual([]);
  expect(await collect('bob')).toEqual([]);
});

test('a files/cp beyond the quota is refused without reading the DAG', async () => {
  await service.start({ ...nowait, STORAGE_QUOTA_BYTES: String(2 * MiB) });
  const [line] = await service.add(noise(1.5 * MiB, 1), '', 'bob');
  await service.add(noise(1 * MiB, 2));
  const [leaf] = await linksOf(String(line?.Hash));
  // A walk would reach the missing block first.
  await service.post(`pin/rm?arg=${line?.Hash}`, { as: 'bob' });
  expect(await lines(`block/rm?arg=${leaf}`, 'bob')).toEqual([{ Hash: leaf }]);
  const copied = await service.post(`files/cp?arg=/ipfs/${line?.Hash}&arg=/copy`);
  expect([copied.status, await copied.text()]).toEqual([403, expect.stringContaining('quota')]);
});

function formOf(bytes: Uint8Array): FormData {
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'f');
  return form;
}
