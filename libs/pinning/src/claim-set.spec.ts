import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { expect, test } from '@jest/globals';
import { ClaimSet } from './claim-set.ts';
import { openLmdbPinStore, Pinning } from './index.ts';
import { ownerOf } from './owner.ts';

const leaves = Array.from({ length: 8300 }, (_, n) => {
  const bytes = Buffer.from(`leaf ${n}`);
  return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
});

test('ClaimSet counts a block under two codecs once, and has no names beyond its bound', () => {
  const claims = new ClaimSet();
  const [first, second, ...rest] = leaves as [(typeof leaves)[0], (typeof leaves)[0]];
  for (const codec of ['raw', 'dag-cbor'] as const)
    claims.add([{ cid: cidFor(first.bytes, { codec }), bytes: 7, isCounted: true }]);
  claims.add([{ cid: second.cid, bytes: 5, isCounted: false }]);
  expect([claims.size, claims.countedBytes, claims.uncountedBytes]).toEqual([2, 7, 5]);
  expect(claims.cids).toHaveLength(2);
  for (const { cid } of rest) claims.add([{ cid, bytes: 1, isCounted: true }]);
  expect(claims.size).toBe(8300);
  expect(claims.cids).toBeUndefined();
});

test('pin ends claims on more blocks than ClaimSet remembers', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-claims-'));
  const blocks = createMemoryBlockstore();
  const pins = await openLmdbPinStore({ directory });
  try {
    const pinning = new Pinning({ pins, blocks, collectable: blocks });
    const bytes = dagCbor.encode(leaves.map(({ cid }) => cid));
    const root = { cid: cidFor(bytes, { codec: 'dag-cbor' }), bytes };
    const writing = await pinning.write('ann');
    await writing.store.putMany([...leaves, root]);
    await writing.claimUnpinned();
    await writing.end();
    expect((await blocks.claimed(ownerOf('ann'))).blocks).toBe(8301);
    const session = await pinning.write('ann');
    await session.pin(root.cid);
    await session.end();
    expect((await blocks.claimed(ownerOf('ann'))).blocks).toBe(0);
    expect((await pinning.usage('ann')).blocks).toBe(8301);
  } finally {
    await pins.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
