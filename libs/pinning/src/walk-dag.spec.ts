import { type Block, createMemoryBlockstore } from '@cairn/blockstore';
import { CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { linksOf, walkDag } from './index.ts';

let blocks = createMemoryBlockstore();
beforeEach(() => {
  blocks = createMemoryBlockstore();
});

async function put(codec: 'raw' | 'dag-cbor' | 'dag-pb' | 'dag-json', bytes: Uint8Array): Promise<CID> {
  const cid = cidFor(bytes, { codec });
  await blocks.putMany([{ cid, bytes }]);
  return cid;
}
const raw = (text: string) => put('raw', Buffer.from(text));
const node = (links: readonly CID[]) => put('dag-cbor', dagCbor.encode({ deep: [{ links }], text: 'x' }));

describe('linksOf', () => {
  test('returns the links of each codec in order', async () => {
    const leaves = [await raw('a'), await raw('b')] as const;
    const texts = async (cid: CID, bytes: Uint8Array) => [...(await linksOf(cid, bytes))].map(String);
    const cbor = dagCbor.encode({ a: leaves[0], z: [leaves[1]] });
    expect(await texts(await put('dag-cbor', cbor), cbor)).toEqual(leaves.map(String));
    const json = dagJson.encode([leaves[0], { x: leaves[1] }]);
    expect(await texts(await put('dag-json', json), json)).toEqual(leaves.map(String));
    const pb = dagPb.encode(dagPb.prepare({ Links: leaves.map((Hash) => ({ Hash, Name: '', Tsize: 1 })) }));
    expect(await texts(await put('dag-pb', pb), pb)).toEqual(leaves.map(String));
    expect(await texts(leaves[0], Buffer.from('a'))).toEqual([]);
  });

  test('refuses other codecs and malformed blocks', async () => {
    const bytes = Buffer.from('ff', 'hex');
    await expect(linksOf(cidFor(bytes, { codec: 'eth-block' }), bytes)).rejects.toMatchObject({
      code: 'CODEC_UNSUPPORTED',
    });
    for (const codec of ['dag-cbor', 'dag-json', 'dag-pb'] as const) {
      await expect(linksOf(cidFor(bytes, { codec }), bytes)).rejects.toMatchObject({ code: 'DAG_INVALID' });
    }
  });
});

describe('walkDag', () => {
  test('counts a shared block once and follows the links of each of its codecs', async () => {
    const leaf = await raw('leaf');
    const bytes = dagCbor.encode([leaf]);
    const inner = await put('dag-cbor', bytes);
    const asRaw = CID.createV1(0x55, inner.multihash);
    const root = await node([asRaw, inner, inner]);
    const { length } = await blocks.get(root);
    expect(await walkDag(blocks, root)).toEqual({ blocks: 3, bytes: 4 + bytes.length + length });
    await blocks.delete(leaf);
    await expect(walkDag(blocks, root)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  });

  test('names a missing block, and stops at the limit and at the signal', async () => {
    const leaf = await raw('leaf');
    const root = await node([leaf, await raw('other')]);
    await blocks.delete(leaf);
    await expect(walkDag(blocks, root)).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
      details: { cid: leaf.toString() },
    });
    await expect(walkDag(blocks, root, { blocksMax: 1 })).rejects.toMatchObject({ code: 'DAG_TOO_LARGE' });
    const reason = new Error('gone');
    await expect(walkDag(blocks, root, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('touches the links of many small nodes together, each block once', async () => {
    const shared = await raw('shared');
    const nodes: CID[] = [];
    for (let index = 0; index < 300; index++) nodes.push(await node([await raw(`${index}`), shared]));
    const root = await node(nodes);
    const touched: string[] = [];
    let touches = 0;
    const touchMany = async (cids: readonly CID[]) => {
      touches++;
      touched.push(...cids.map(String));
      return [];
    };
    expect(await walkDag(blocks, root, { touchMany })).toEqual(await walkDag(blocks, root));
    expect([...new Set(touched)]).toHaveLength(602);
    // One for the root, one for its links, and one for each 128 of the nodes.
    expect(touches).toBeLessThan(10);
  });

  test('reads the sizes of touched blocks together, and reports a missing one when it reaches it', async () => {
    const leaves = await Promise.all(Array.from({ length: 300 }, (_, n) => raw(`${n}`)));
    const root = await node([...leaves.slice(0, 200), await node(leaves.slice(100)), ...leaves.slice(200, 210)]);
    const expected = await walkDag(blocks, root);
    let running = 0;
    let runningMax = 0;
    const slow = {
      get: (cid: CID) => blocks.get(cid),
      async size(cid: CID) {
        runningMax = Math.max(runningMax, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return await blocks.size(cid);
      },
    };
    const touchMany = async () => [];
    for (const order of ['parents-first', 'depth-first'] as const) {
      runningMax = 0;
      expect(await walkDag(slow, root, { touchMany, order })).toEqual(expected);
      expect([runningMax > 50, runningMax <= 128]).toEqual([true, true]);
    }
    runningMax = 0;
    // An untouched block may have to arrive from another peer first.
    expect(await walkDag(slow, root)).toEqual(expected);
    expect(runningMax).toBe(1);
    const [, second, third] = leaves;
    for (const leaf of [second, third]) if (leaf) await blocks.delete(leaf);
    const visited: number[] = [];
    const onBytes = (bytes: number) => visited.push(bytes);
    await expect(walkDag(slow, root, { touchMany, onBytes })).rejects.toMatchObject({
      code: 'BLOCK_NOT_FOUND',
      details: { cid: String(second) },
    });
    expect(visited).toHaveLength(2);
  });

  test('reads nodes with more values than the arguments of one call', async () => {
    const leaf = await raw('leaf');
    for (const codec of ['dag-cbor', 'dag-json'] as const) {
      const values = [...Array.from({ length: 150_000 }, () => 0), leaf];
      const root = await put(codec, codec === 'dag-cbor' ? dagCbor.encode(values) : dagJson.encode(values));
      expect((await walkDag(blocks, root)).blocks).toBe(2);
    }
  });

  test('yields to the event loop within wide nodes and between nodes', async () => {
    const leaf = await raw('leaf');
    const nodes: CID[] = [];
    for (let n = 0; n < 60; n++)
      nodes.push(await put('dag-cbor', dagCbor.encode([n, ...Array.from({ length: 600 }, () => leaf)])));
    const root = await node(nodes);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await walkDag(blocks, root);
    isDone = true;
    expect(turns).toBeGreaterThan(1);
  });

  test('follows a chain of 20,000 nodes without recursion', async () => {
    const chain: Block[] = [];
    let cid = await raw('end');
    for (let depth = 0; depth < 20_000; depth++) {
      const bytes = dagCbor.encode([cid]);
      cid = cidFor(bytes, { codec: 'dag-cbor' });
      chain.push({ cid, bytes });
    }
    await blocks.putMany(chain);
    expect((await walkDag(blocks, cid)).blocks).toBe(20_001);
  });
});
