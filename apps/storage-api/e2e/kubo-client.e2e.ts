import { gunzipSync } from 'node:zlib';
import { CarReader } from '@ipld/car';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { create, type KuboRPCClient } from 'kubo-rpc-client';
import { CID } from 'multiformats';
import { extract } from 'tar-stream';
import { noise, Service } from './service.ts';

// Uses kubo-rpc-client as an application does: only URL and credentials are changed.
const service = new Service();
let ipfs: KuboRPCClient;
beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ STORAGE_GC_GRACE_SECONDS: '0' });
  ipfs = create({ url: `${service.url}/api/v0`, headers: service.headers() });
});
afterAll(() => service.remove());

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of source) list.push(item);
  return list;
}
const bytesOf = async (source: AsyncIterable<Uint8Array>) => Buffer.concat(await all(source));
const text = (value: string) => new TextEncoder().encode(value);

/** A tree with files of one and of many chunks. */
async function addTree(): Promise<CID> {
  const entries = [
    { path: 'site/index.html', content: text('<p>hello') },
    { path: 'site/media/film.bin', content: noise(700_000, 5) },
    { path: 'site/media/note.txt', content: text('note') },
  ];
  const added = await all(ipfs.addAll(entries, { cidVersion: 1 }));
  const root = added.find(({ path }) => path === 'site');
  if (!root) throw new Error('no root');
  return root.cid;
}

test('cat, ls, refs, resolve and stat return an added tree unchanged', async () => {
  const site = await addTree();
  expect(await bytesOf(ipfs.cat(`/ipfs/${site}/media/film.bin`))).toEqual(Buffer.from(noise(700_000, 5)));
  const ranged = ipfs.cat(`/ipfs/${site}/media/film.bin`, { offset: 262_100, length: 100 });
  expect(await bytesOf(ranged)).toEqual(Buffer.from(noise(700_000, 5).subarray(262_100, 262_200)));
  expect((await all(ipfs.ls(site))).map(({ name, type, size }) => ({ name, type, size }))).toEqual([
    { name: 'index.html', type: 'file', size: 8 },
    { name: 'media', type: 'dir', size: 0 },
  ]);
  const refs = await all(ipfs.refs(site, { recursive: true }));
  expect(new Set(refs.map(({ ref }) => ref)).size).toBe(refs.length);
  expect(refs.length).toBe(7);
  const resolved = await ipfs.resolve(`/ipfs/${site}/media/note.txt`);
  expect(await bytesOf(ipfs.cat(resolved))).toEqual(Buffer.from('note'));
  expect((await ipfs.files.stat(`/ipfs/${site}`)).type).toBe('directory');
});

test('get returns a tar archive of the tree, and a gzipped file', async () => {
  const site = await addTree();
  const archive = await bytesOf(ipfs.get(site));
  const names = new Map<string, Buffer>();
  const reading = extract();
  reading.end(archive);
  for await (const entry of reading) names.set(entry.header.name, await bytesOf(entry as AsyncIterable<Uint8Array>));
  expect(names.get(`${site}/media/film.bin`)?.equals(noise(700_000, 5))).toBe(true);
  expect([...names.keys()].map((name) => name.slice(`${site}`.length).replace(/\/$/, '')).sort()).toEqual([
    '',
    '/index.html',
    '/media',
    '/media/film.bin',
    '/media/note.txt',
  ]);
  const packed = await bytesOf(ipfs.get(`/ipfs/${site}/media/note.txt`, { compress: true }));
  expect(gunzipSync(packed).toString()).toBe('note');
});

test('an exported CAR can be imported again, also by another account', async () => {
  const site = await addTree();
  const car = await bytesOf(ipfs.dag.export(site));
  const reader = await CarReader.fromBytes(car);
  expect((await reader.getRoots()).map(String)).toEqual([`${site}`]);
  const bob = create({ url: `${service.url}/api/v0`, headers: service.headers('bob') });
  const [imported] = await all(
    bob.dag.import(
      (async function* () {
        yield car;
      })(),
    ),
  );
  expect(imported).toMatchObject({ root: { pinErrorMsg: '' } });
  expect((await all(bob.pin.ls({ type: 'recursive' }))).map(({ cid }) => `${cid}`)).toEqual([`${site}`]);
  await bob.pin.rm(site);
});

test('dag commands store values of the IPLD data model', async () => {
  const child = await ipfs.dag.put({ hello: 'world' });
  const parent = await ipfs.dag.put({ child, list: [1, { deep: text('bytes') }] }, { storeCodec: 'dag-cbor' });
  expect((await ipfs.dag.get(parent, { path: '/list/1/deep' })).value).toEqual(text('bytes'));
  expect((await ipfs.dag.get(parent, { path: '/child/hello' })).value).toBe('world');
  expect(await ipfs.dag.resolve(parent, { path: '/child/hello' })).toMatchObject({ remainderPath: '/hello' });
});

test('block commands store, read and remove blocks', async () => {
  const cid = await ipfs.block.put(text('a block'));
  expect(cid.toString()).toMatch(/^bafkrei/);
  expect(Buffer.from(await ipfs.block.get(cid)).toString()).toBe('a block');
  expect((await ipfs.block.stat(cid)).size).toBe(7);
  const [removed] = await all(ipfs.block.rm(cid));
  expect([`${removed?.cid}`, removed?.error]).toEqual([`${cid}`, undefined]);
  // Removed immediately where no other account can hold it, else by garbage collection.
  await all(ipfs.repo.gc());
  await service.eventually(async () => {
    await expect(ipfs.block.get(cid)).rejects.toThrow(/could not find/);
  });
});

test('pin commands support names, types, update and verify', async () => {
  const { cid } = await ipfs.add(noise(600_000, 8), { pin: false, cidVersion: 1 });
  expect(`${await ipfs.pin.add(cid, { name: 'film' })}`).toBe(`${cid}`);
  const listed = await all(ipfs.pin.ls({ paths: cid, names: true }));
  expect(listed).toMatchObject([{ type: 'recursive', name: 'film' }]);
  const [leaf] = await all(ipfs.refs(cid));
  const [indirect] = await all(ipfs.pin.ls({ paths: CID.parse(`${leaf?.ref}`) }));
  expect(`${indirect?.type}`).toMatch(/^indirect/);
  const other = await ipfs.add('another', { pin: false });
  const updated = await service.post(`pin/update?arg=${cid}&arg=${other.cid}`);
  expect(await updated.json()).toEqual({ Pins: [`${cid}`, `${other.cid}`] });
  expect((await all(ipfs.pin.ls({ type: 'recursive' }))).map((pin) => `${pin.cid}`)).toContain(`${other.cid}`);
  await expect(all(ipfs.pin.ls({ paths: cid }))).rejects.toThrow(/is not pinned/);
  const verified = await (await service.post('pin/verify?verbose=true')).text();
  for (const line of verified.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ Ok: true });
  await ipfs.pin.rm(other.cid);
  await expect(ipfs.pin.rm(other.cid)).rejects.toThrow(/not pinned/);
});

test('each account has its own file tree, which needs no pin', async () => {
  await ipfs.files.write('/docs/readme.md', text('# Cairn'), { create: true, parents: true });
  await ipfs.files.write('/docs/readme.md', text('! and more'), { offset: 7 });
  await ipfs.files.cp('/docs/readme.md', '/docs/copy.md');
  await ipfs.files.mv('/docs/copy.md', '/moved.md');
  await ipfs.files.mkdir('/empty/dir', { parents: true });
  expect((await all(ipfs.files.ls('/'))).map(({ name }) => name)).toEqual(['docs', 'empty', 'moved.md']);
  await all(ipfs.repo.gc());
  expect((await bytesOf(ipfs.files.read('/moved.md'))).toString()).toBe('# Cairn! and more');
  const bob = create({ url: `${service.url}/api/v0`, headers: service.headers('bob') });
  expect(await all(bob.files.ls('/'))).toEqual([]);
  await ipfs.files.rm('/docs', { recursive: true });
  await expect(ipfs.files.stat('/docs')).rejects.toThrow('file does not exist');
  const added = await ipfs.add('to files');
  const copied = await service.post(`files/cp?arg=/ipfs/${added.cid}&arg=/added`);
  expect([copied.status, await copied.text()]).toEqual([200, '']);
  expect((await ipfs.files.stat('/added')).cid.toString()).toBe(added.cid.toString());
});

test('id and version describe the node', async () => {
  expect((await ipfs.version()).version).toMatch(/^\d+\.\d+\.\d+/);
  expect((await ipfs.id()).id.toString()).toMatch(/^(12D3|Qm)/);
  expect(Number((await ipfs.repo.stat()).repoSize)).toBeGreaterThan(0);
});
