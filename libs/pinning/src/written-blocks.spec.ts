import { cidFor } from '@cairn/cid';
import * as dagPb from '@ipld/dag-pb';
import { expect, test } from '@jest/globals';
import { NameCount, nameOf, WrittenBlocks } from './written-blocks.ts';

const named = (key: string) => ({ key, length: 1, leafCode: undefined });

const fill = (blocks: WrittenBlocks, names: number, prefix = '') => {
  for (let name = 0; name < names; name++) blocks.add(named(`${prefix}${name}`), 1);
};

test('bytes of a block add up until it is taken', () => {
  const all = new NameCount();
  const blocks = new WrittenBlocks(all);
  blocks.add(named('a'), 2);
  blocks.add(named('a'), 3);
  blocks.add(named('b'), 1);
  expect([blocks.size, all.names, blocks.keys()]).toEqual([2, 2, ['a', 'b']]);
  expect([blocks.take('a'), blocks.take('a'), blocks.has('a'), all.names]).toEqual([5, 0, false, 1]);
  blocks.clear();
  expect([blocks.size, all.names]).toEqual([0, 0]);
});

test('one session is full at its limit', () => {
  const blocks = new WrittenBlocks(new NameCount());
  fill(blocks, 131_071);
  expect(blocks.isFull).toBe(false);
  blocks.add(named('last'), 0);
  expect(blocks.isFull).toBe(true);
});

test('sessions share a limit, and a small one is not full because of others', () => {
  const all = new NameCount();
  const [first, second, third] = [new WrittenBlocks(all), new WrittenBlocks(all), new WrittenBlocks(all)];
  fill(first, 130_000);
  fill(second, 131_000);
  fill(third, 8_191);
  expect([first.isFull, second.isFull, third.isFull]).toEqual([true, true, false]);
  third.add(named('last'), 0);
  expect(third.isFull).toBe(true);
  first.clear();
  expect([second.isFull, third.isFull]).toEqual([false, false]);
});

test('leafBytes knows blocks without links, each by the codecs that find none in it', () => {
  const blocks = new WrittenBlocks(new NameCount());
  const leaf = dagPb.encode({ Data: Buffer.from('leaf'), Links: [] });
  const cids = (bytes: Uint8Array) => ({
    raw: cidFor(bytes, { codec: 'raw' }),
    pb: cidFor(bytes, { codec: 'dag-pb', version: 0 }),
    cbor: cidFor(bytes, { codec: 'dag-cbor' }),
  });
  const node = dagPb.encode({ Links: [{ Hash: cids(leaf).pb, Name: '', Tsize: 4 }] });
  const raw = Buffer.from('raw');
  blocks.add(nameOf({ cid: cids(leaf).pb, bytes: leaf }), 0);
  blocks.add(nameOf({ cid: cids(node).pb, bytes: node }), 0);
  blocks.add(nameOf({ cid: cids(raw).raw, bytes: raw }), 0);
  const known = (bytes: Uint8Array) => Object.values(cids(bytes)).map((cid) => blocks.leafBytes(cid));
  expect(known(leaf)).toEqual([leaf.length, leaf.length, undefined]);
  expect(known(node)).toEqual([node.length, undefined, undefined]);
  expect(known(raw)).toEqual([3, undefined, undefined]);
  expect(known(Buffer.from('not written'))).toEqual([undefined, undefined, undefined]);
  blocks.take(nameOf({ cid: cids(raw).raw, bytes: raw }).key);
  expect(known(raw)).toEqual([undefined, undefined, undefined]);
});
