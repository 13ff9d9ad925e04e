import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { beforeEach, expect, test } from '@jest/globals';
import { fetchDag } from './fetch-dag.ts';

const { signal } = new AbortController();
let remote: Map<string, Uint8Array>;
let store: ReturnType<typeof createMemoryBlockstore>;
let fetched: string[];
let most: number;
beforeEach(() => {
  remote = new Map();
  store = createMemoryBlockstore();
  [fetched, most] = [[], 0];
});

let running = 0;
const fetch = async (cid: CID) => {
  fetched.push(cid.toString());
  most = Math.max(most, ++running);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
  running--;
  const bytes = remote.get(cid.toString());
  if (bytes === undefined) throw new Error(`absent ${cid}`);
  return bytes;
};

function put(bytes: Uint8Array, codec: 'raw' | 'dag-cbor'): CID {
  const cid = cidFor(bytes, { codec });
  remote.set(cid.toString(), bytes);
  return cid;
}
const leaf = (text: string) => put(Buffer.from(text), 'raw');
const node = (links: readonly CID[]) => put(dagCbor.encode(links), 'dag-cbor');
const leaves = (name: string, count: number) => Array.from({ length: count }, (_, at) => leaf(`${name}${at}`));
const tree = () => node(['a', 'b', 'c', 'd'].map((name) => node(leaves(name, 50))));

test('fetchDag fetches each block once, many concurrently', async () => {
  const shared = leaf('shared');
  const root = node([shared, node([shared, ...leaves('x', 200)]), node([shared])]);
  const size = await fetchDag(store, root, { signal, fetch, concurrency: 16 });
  expect(size.blocks).toBe(204);
  expect(fetched.length).toBe(204);
  expect(new Set(fetched).size).toBe(204);
  expect(most).toBe(16);
  expect((await store.stats()).blocks).toBe(204);
});

test('fetchDag needs no bytes of leaves from a source that stores them', async () => {
  const root = node([node(leaves('x', 20)), leaf('y')]);
  const sizes = async (cid: CID) => {
    const bytes = remote.get(cid.toString()) ?? Buffer.alloc(0);
    // Some blocks could not be stored.
    if (bytes.at(-1) !== '5'.charCodeAt(0)) await store.putMany([{ cid, bytes }]);
    return bytes.length;
  };
  const size = await fetchDag(store, root, { signal, fetch, fetchSize: sizes });
  expect(size.blocks).toBe(23);
  expect((await store.stats()).blocks).toBe(23);
  // The root, its node, and the leaves x5 and x15.
  expect(fetched.length).toBe(4);
});

test('fetchDag fetches small blocks with more concurrency and large ones with less', async () => {
  const small = node([node(leaves('s', 40)), node(leaves('t', 600))]);
  await fetchDag(store, small, { signal, fetch });
  expect(most).toBeGreaterThan(64);
  const large = (name: number) => put(Buffer.alloc(1024 * 1024, name), 'raw');
  const root = node([node(Array.from({ length: 80 }, (_, at) => large(at))), node([large(81), large(82)])]);
  most = 0;
  await fetchDag(createMemoryBlockstore(), root, { signal, fetch });
  expect(most).toBeLessThanOrEqual(64);
});

test('fetchDag narrows the window to 16 MiB once it has large blocks', async () => {
  const large = Array.from({ length: 100 }, (_, name) => put(Buffer.alloc(1024 * 1024, name), 'raw'));
  const runningAtStart: number[] = [];
  const counted: typeof fetch = async (cid) => {
    runningAtStart.push(running + 1);
    return await fetch(cid);
  };
  await fetchDag(createMemoryBlockstore(), node(large), { signal, fetch: counted });
  // The first 80 start before the size of a block is known.
  expect(Math.max(...runningAtStart.slice(-15))).toBeLessThanOrEqual(16);
});

test('fetchDag fetches missing blocks only, so that a second call resumes', async () => {
  const root = tree();
  const stop = new AbortController();
  const first = fetchDag(store, root, {
    signal: stop.signal,
    fetch,
    onSize: ({ blocks }) => {
      if (blocks === 100) stop.abort(new Error('killed'));
    },
  });
  await expect(first).rejects.toThrow('killed');
  const present = (await store.stats()).blocks;
  expect(present).toBeGreaterThanOrEqual(80);
  fetched = [];
  await fetchDag(store, root, { signal, fetch });
  expect(fetched.length).toBe(205 - present);
});

test('fetchDag of a complete DAG fetches nothing, and one block needs one worker', async () => {
  const root = leaf('one');
  expect(await fetchDag(store, root, { signal, fetch })).toEqual({ blocks: 1, bytes: 3 });
  expect(await fetchDag(store, root, { signal, fetch, concurrency: 1 })).toEqual({ blocks: 1, bytes: 3 });
  expect(fetched.length).toBe(1);
});

test('a failed block ends the fetch with its error and aborts the others', async () => {
  const root = node([...leaves('x', 20), cidFor(Buffer.from('absent'), { codec: 'raw' })]);
  let [started, aborted] = [0, 0];
  const slow = (cid: CID, options: { readonly signal: AbortSignal }) => {
    if (cid.code === 0x71 || !remote.has(cid.toString())) return fetch(cid);
    started++;
    return new Promise<Uint8Array>((_, reject) => {
      options.signal.addEventListener('abort', () => {
        aborted++;
        reject(options.signal.reason);
      });
    });
  };
  await expect(fetchDag(store, root, { signal, fetch: slow })).rejects.toThrow('absent');
  expect(aborted).toBe(started);
});

test('an error of onSize ends the fetch early', async () => {
  const root = tree();
  const onSize = ({ bytes }: { readonly bytes: number }) => {
    if (bytes > 2500) throw new Error('beyond the quota');
  };
  await expect(fetchDag(store, root, { signal, fetch, onSize, concurrency: 4 })).rejects.toThrow('beyond the quota');
  expect(fetched.length).toBeLessThan(100);
});

test('a DAG of too many blocks, an aborted signal and wrong links are refused', async () => {
  const root = tree();
  await expect(fetchDag(store, root, { signal, fetch, blocksMax: 100 })).rejects.toMatchObject({
    code: 'DAG_TOO_LARGE',
  });
  await expect(fetchDag(store, root, { signal: AbortSignal.abort(new Error('over')), fetch })).rejects.toThrow('over');
  const broken = put(Buffer.from([0xff]), 'dag-cbor');
  await expect(fetchDag(store, broken, { signal, fetch })).rejects.toMatchObject({ code: 'DAG_INVALID' });
});
