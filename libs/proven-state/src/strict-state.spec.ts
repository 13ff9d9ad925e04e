import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keccak256 } from '@cairn/cid';
import { createUpstreamPool } from '@cairn/upstream';
import { afterEach, expect, test } from '@jest/globals';
import {
  LmdbContentCache,
  LmdbContentReader,
  ProvenValues,
  type StateBlock,
  StateFetcher,
  StrictState,
} from './index.ts';
import { bytes, hex, startStateNode, TestState, word } from './state-node.fixture.ts';

const token = `0x${'aa'.repeat(20)}`;
const absent = bytes('bb'.repeat(20));
const code = bytes('6001600255');
const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp(bytesMax = 1024 ** 2) {
  const state = new TestState({ [token]: { code, slots: { [hex(word(0))]: 3, [hex(word(1))]: 4 } } });
  const node = await startStateNode(state);
  closers.push(() => node.stop());
  const pool = createUpstreamPool({ chainId: 1n, upstreams: [node.url] });
  closers.push(() => pool.close());
  const directory = mkdtempSync(join(tmpdir(), 'strict-state-'));
  closers.push(() => rmSync(directory, { recursive: true }));
  const cache = await LmdbContentCache.open({ directory, bytesMax });
  closers.push(() => cache.close());
  const reader = await LmdbContentReader.open({ directory, memoryBytesMax: 0 });
  closers.push(() => reader.close());
  const block: StateBlock = { hash: `0x${'cd'.repeat(32)}`, number: 100n, stateRoot: state.stateRoot };
  const strict = new StrictState({
    stateRoot: state.stateRoot,
    cache: reader,
    values: new ProvenValues({ bytesMax: 100_000 }),
  });
  const fetcher = new StateFetcher({ pool, cache });
  const fetch = async (needs: Parameters<StateFetcher['fetch']>[1], options = {}) => {
    const isRequested = await fetcher.fetch(block, needs, options);
    await cache.flush();
    reader.refresh();
    return isRequested;
  };
  return { strict, fetch, node, cache, reader };
}

const need = { address: bytes(token), slots: [word(0), word(1)], needsCode: true };

test('reads throw CONTENT_MISSING until the content is fetched, and the same state then answers', async () => {
  const { strict, fetch } = await setUp();
  for (const read of [
    () => strict.getAccount(bytes(token)),
    () => strict.getStorage(bytes(token), word(0)),
    () => strict.getCode(keccak256(code)),
  ])
    expect(read).toThrow(expect.objectContaining({ code: 'CONTENT_MISSING' }));
  await fetch([need, { address: absent, slots: [], needsCode: true }]);
  expect(strict.getAccount(bytes(token))?.balance).toBe(5n);
  expect([0, 1, 0].map((slot) => hex(strict.getStorage(bytes(token), word(slot))))).toEqual(['0x03', '0x04', '0x03']);
  expect(hex(strict.getCode(keccak256(code)))).toBe(hex(code));
  expect(strict.getAccount(absent)).toBeUndefined();
  expect(strict.getStorage(absent, word(0))).toHaveLength(0);
});

test('concurrent fetches share requests, and cached content is requested only on demand', async () => {
  const { fetch, node } = await setUp();
  expect(await Promise.all([fetch([need]), fetch([need]), fetch([{ ...need, slots: [word(0)] }])])).toContain(true);
  expect(node.rounds.flat().map(({ method }) => method)).toEqual(['eth_getProof', 'eth_getCode']);
  expect(await fetch([need])).toBe(false);
  expect(await fetch([need], { isForced: true })).toBe(true);
  expect(node.rounds).toHaveLength(2);
});

test('an aborted fetch rejects, and its request continues for the others', async () => {
  const { fetch, strict } = await setUp();
  const controller = new AbortController();
  const aborted = fetch([need], { signal: controller.signal });
  const other = fetch([need]);
  controller.abort(new Error('gone'));
  await expect(aborted).rejects.toThrow('gone');
  await other;
  expect(strict.getAccount(bytes(token))?.balance).toBe(5n);
});

test('content that the disk lost is written again, also if it is in memory', async () => {
  const { cache, reader } = await setUp(3_000);
  const contentOf = (n: number) => new Uint8Array(1_000).fill(n);
  const put = async (n: number) => {
    cache.put(keccak256(contentOf(n)), contentOf(n));
    await cache.flush();
    reader.refresh();
  };
  for (const n of [1, 2, 3, 4]) await put(n);
  expect(reader.get(keccak256(contentOf(1)))).toBeUndefined();
  expect(cache.get(keccak256(contentOf(1)))).toBeDefined();
  await put(1);
  expect(reader.get(keccak256(contentOf(1)))).toBeDefined();
});

test('values beyond the byte limit are dropped, and values in use stay', () => {
  const values = new ProvenValues({ bytesMax: 400_000 });
  const used = word(1);
  values.setSlot('used', used);
  let largest = 0;
  for (let n = 0; n < 10_000; n++) {
    values.setSlot(`slot ${n}`, word(n));
    expect(values.slot('used')).toBe(used);
    if (values.slot(`slot ${n - 2_000}`) !== undefined) largest = n;
  }
  expect(largest).toBe(0);
});
