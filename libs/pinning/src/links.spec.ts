import { CID, cidFor, codecs } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cborLinks } from './cbor-links.ts';
import { linksOf } from './links.ts';

const link = (text: string) => cidFor(Buffer.from(text), { codec: 'raw' });

test('linksOf gives the links in the order of the block, also where keys are numbers', () => {
  // The key "-" is less than "0" in both codecs; objects of JavaScript have "0" first.
  const value = { '-': [link('a'), link('b')], '0': link('c'), '00': { '-': link('a'), '9': link('d') } };
  const expected = ['a', 'b', 'c', 'a', 'd'].map((text) => link(text).toString());
  const cbor = dagCbor.encode(value);
  expect(linksOf(cidFor(cbor, { codec: codecs['dag-cbor'] }), cbor).map(String)).toEqual(expected);
  const json = dagJson.encode(value);
  expect(linksOf(cidFor(json, { codec: codecs['dag-json'] }), json).map(String)).toEqual(expected);
});

test('linksOf finds no links in plain CBOR and JSON', () => {
  for (const codec of ['cbor', 'json'] as const) {
    const bytes = Buffer.from(JSON.stringify({ '/': link('a').toString() }));
    expect(linksOf(cidFor(bytes, { codec }), bytes)).toEqual([]);
  }
});

test('linksOf reads DAG-JSON that has the key of links beside others, as Kubo does', () => {
  const bytes = Buffer.from(
    JSON.stringify({ '/': `${link('a')}`, b: [{ '/': `${link('b')}` }], c: { '/': { bytes: 'AQ' } } }),
  );
  expect(linksOf(cidFor(bytes, { codec: 'dag-json' }), bytes).map(String)).toEqual([link('b').toString()]);
  const broken = Buffer.from('{"/":"no CID","b":{"/":"no CID"}}');
  expect(() => linksOf(cidFor(broken, { codec: 'dag-json' }), broken)).toThrow(
    expect.objectContaining({ code: 'DAG_INVALID' }),
  );
});

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0.5, -1, 23, 24, 255, 256, 65_536, 2 ** 32, -(2 ** 40), 2n ** 63n, -(2n ** 60n)),
    fc.string(),
    fc.uint8Array({ maxLength: 30 }),
    fc.string().map(link),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
})).value;

function collected(root: unknown): string[] {
  if (typeof root !== 'object' || root === null || root instanceof Uint8Array) return [];
  const cid = CID.asCID(root);
  return cid ? [cid.toString()] : Object.values(root).flatMap(collected);
}

test('cborLinks finds the links that a decoder finds', () => {
  fc.assert(
    fc.property(value, (root) => {
      const bytes = dagCbor.encode(root);
      expect(cborLinks(bytes).map(String).sort()).toEqual(collected(dagCbor.decode(bytes)).sort());
    }),
  );
});

test('cborLinks refuses the damaged blocks that a decoder refuses', () => {
  const isRefused = (work: () => unknown) => {
    try {
      work();
      return false;
    } catch {
      return true;
    }
  };
  fc.assert(
    fc.property(value, fc.nat(), fc.nat(255), fc.boolean(), (root, place, byte, isCut) => {
      const whole = dagCbor.encode(root);
      const at = place % whole.length;
      const bytes = isCut ? whole.subarray(0, at) : Uint8Array.from(whole, (old, index) => (index === at ? byte : old));
      const refused = isRefused(() => dagCbor.decode(bytes));
      expect([Buffer.from(bytes).toString('hex'), isRefused(() => cborLinks(bytes))]).toEqual([
        Buffer.from(bytes).toString('hex'),
        refused,
      ]);
    }),
    { numRuns: 2000 },
  );
});

test('linksOf reads a block of 2 million integers and refuses lists without end', () => {
  const integers = Buffer.alloc(1_920_005, 1);
  integers.set([0x9a, 0, 0x1d, 0x4c, 0]);
  expect(linksOf(cidFor(integers, { codec: codecs['dag-cbor'] }), integers)).toEqual([]);
  const lists = Buffer.alloc(2_000_000, 0x81);
  lists[lists.length - 1] = 0x80;
  expect(() => cborLinks(lists)).toThrow('nested deeper than 100000');
});
