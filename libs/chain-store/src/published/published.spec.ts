import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectStore } from '@cairn/object-store';
import { createMemoryObjectStore } from '@cairn/object-store';
import { openS3ObjectStore } from '@cairn/object-store/s3';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { describeWithS3 } from '../../../../tools/engines/jest.mjs';
import { type MadeChain, makeChain, type Step, temporaryDirectory } from '../chain.fixture.ts';
import { openChainStore, writeSnapshot } from '../index.ts';
import { importChain } from '../reference-import.fixture.ts';
import { newestSnapshot, publishSnapshot, restorePublished, snapshotSigner } from './index.ts';

const signer = snapshotSigner(new Uint8Array(32).fill(7));
const stranger = snapshotSigner(new Uint8Array(32).fill(8));
const noticeKey = 'chains/made/newest.json';
const plan: Step[][] = Array.from({ length: 6 }, (_, slot) => [
  slot === 0 ? { kind: 'create', child: 0 } : { kind: 'write', child: 0, slot: slot % 3, value: slot },
]);

let directory: ReturnType<typeof temporaryDirectory>;
let chain: MadeChain;
beforeEach(async () => {
  directory = temporaryDirectory();
  chain = await makeChain(plan);
  directory.write('genesis.json', chain.genesis);
});
afterEach(() => directory.remove());
const at = (name: string) => join(directory.path, name);

/** Writes a snapshot of the first blocks and returns its path. */
async function snapshotOf(blocks: number): Promise<string> {
  const store = await openChainStore({ directory: at(`store-${blocks}`) });
  const files = [directory.write(`${blocks}.rlp`, Buffer.concat(chain.blocks.slice(0, blocks)))];
  await importChain({ store, name: 'made', genesis: at('genesis.json'), files });
  const file = at(`made-${blocks}.car`);
  if (!existsSync(file)) await writeSnapshot({ store, network: 'made', file });
  await store.close();
  return file;
}

const publish = async (objects: ObjectStore, blocks: number, by = signer) =>
  await publishSnapshot({ objects, file: await snapshotOf(blocks), signer: by });

const restore = (objects: ObjectStore, options: Partial<Parameters<typeof restorePublished>[0]> = {}) =>
  restorePublished({
    objects,
    publicKeys: [signer.publicKey],
    network: { name: 'made', genesis: at('genesis.json') },
    directory: at('restored'),
    downloads: at('downloads'),
    ...options,
  });

async function headOf(name = 'restored') {
  const store = await openChainStore({ directory: at(name) });
  const { hash } = store.head;
  await store.close();
  return hash;
}

async function keysOf(objects: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list('')) keys.push(key);
  return keys.sort();
}

/** Changes the stored announcement. */
async function changeNotice(objects: ObjectStore, change: (notice: Record<string, string>) => object) {
  const notice = JSON.parse(Buffer.from(await objects.get(noticeKey)).toString());
  await objects.put(noticeKey, Buffer.from(JSON.stringify(change(notice))));
}

/** A store whose call with this name fails, as in a process that is killed there. */
const failing = (objects: ObjectStore, name: 'put' | 'deleteMany' | 'putStream') =>
  new Proxy(objects, {
    get: (target, property) =>
      property === name
        ? () => Promise.reject(new Error('killed'))
        : (Reflect.get(target, property) as () => unknown).bind(target),
  });

describe('published snapshots', () => {
  test('a replica restores the newest one, verified, and keeps no download', async () => {
    const objects = createMemoryObjectStore();
    expect(await restore(objects)).toBeUndefined();
    await publish(objects, 3);
    const { head } = await publish(objects, 6);
    expect(await restore(objects)).toMatchObject({ head, base: 0 });
    expect(await headOf()).toBe(head.hash);
    expect(readdirSync(at('downloads'))).toEqual([]);
  });

  test('an announcement counts only with an accepted signature over its statement and network', async () => {
    const objects = createMemoryObjectStore();
    await publish(objects, 3);
    await expect(restore(objects, { publicKeys: [stranger.publicKey] })).rejects.toMatchObject({
      code: 'SNAPSHOT_UNTRUSTED',
    });
    await expect(publish(objects, 4, stranger)).rejects.toMatchObject({ code: 'SNAPSHOT_UNTRUSTED' });
    const original = await objects.get(noticeKey);
    const lies: ((notice: Record<string, string>) => object)[] = [
      (notice) => ({ ...notice, statement: notice.statement?.replace('"base":0', '"base":1') }),
      (notice) => ({ ...notice, signature: stranger.sign(notice.statement ?? '') }),
      (notice) => ({ ...notice, signature: '' }),
      () => ({}),
    ];
    for (const lie of lies) {
      await changeNotice(objects, lie);
      await expect(restore(objects)).rejects.toMatchObject({ code: 'SNAPSHOT_UNTRUSTED' });
      await objects.put(noticeKey, original);
    }
    await objects.put('chains/other/newest.json', original);
    await expect(newestSnapshot(objects, 'other', [signer.publicKey])).rejects.toMatchObject({
      code: 'SNAPSHOT_UNTRUSTED',
    });
    expect(existsSync(at('restored'))).toBe(false);
  });

  test('an older head is refused, and the newest three snapshots stay', async () => {
    const objects = createMemoryObjectStore();
    for (const blocks of [1, 2, 3, 4, 5]) await publish(objects, blocks);
    await expect(publish(objects, 2)).rejects.toMatchObject({ code: 'SNAPSHOT_OLDER' });
    expect((await keysOf(objects)).map((key) => key.slice(0, 28))).toEqual([
      'chains/made/0000000000000003',
      'chains/made/0000000000000004',
      'chains/made/0000000000000005',
      'chains/made/newest.json',
    ]);
  });

  test.each(['putStream', 'put', 'deleteMany'] as const)(
    'a publication that ends at %s is completed by the next',
    async (name) => {
      const objects = createMemoryObjectStore();
      for (const blocks of [3, 4, 5]) await publish(objects, blocks);
      await expect(publish(failing(objects, name), 6)).rejects.toThrow('killed');
      const { head } = await publish(objects, 6);
      expect(await keysOf(objects)).toHaveLength(4);
      expect(await restore(objects)).toMatchObject({ head });
    },
  );

  test('a stopped download continues with the missing bytes', async () => {
    const objects = createMemoryObjectStore();
    const { bytes } = await publish(objects, 6);
    const stop = new AbortController();
    let received = 0;
    const onDownload = (sum: number) => {
      received = sum;
      if (sum >= 300) stop.abort(new Error('stopped'));
    };
    const stopped = restore(objects, { rangeBytes: 100, onDownload, signal: stop.signal });
    await expect(stopped).rejects.toThrow('stopped');
    expect(received).toBe(300);
    const sums: number[] = [];
    await restore(objects, { rangeBytes: 100, onDownload: (sum) => sums.push(sum) });
    expect([sums[0], sums.at(-1)]).toEqual([400, bytes]);
    expect(await headOf()).toBeDefined();
  });

  test('damaged bytes are refused and fetched again', async () => {
    const objects = createMemoryObjectStore();
    const { key } = await publish(objects, 6);
    const bytes = Buffer.from(await objects.get(key));
    const damaged = Buffer.from(bytes);
    damaged[120] = (damaged[120] ?? 0) ^ 1;
    await objects.put(key, damaged);
    await expect(restore(objects)).rejects.toMatchObject({ code: 'SNAPSHOT_DAMAGED' });
    await objects.put(key, bytes);
    expect(await restore(objects)).toBeDefined();
  });
});

describeWithS3('published snapshots in S3', (server) => {
  test('a replica restores what another one published', async () => {
    const objects = await openS3ObjectStore({ url: server().createStore(), credentials: server() });
    const { head } = await publish(objects, 6);
    expect(await restore(objects, { rangeBytes: 1000 })).toMatchObject({ head });
    expect(await headOf()).toBe(head.hash);
    await objects.close();
  });
});
