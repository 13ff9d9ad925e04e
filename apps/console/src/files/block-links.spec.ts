import { expect, test } from '@jest/globals';
import { linksOf } from './block-links.ts';

test('lists the links of a directory with names and sizes', () => {
  const node = {
    Data: { '/': { bytes: 'CAE' } },
    Links: [{ Hash: { '/': 'QmA' }, Name: 'a.txt', Tsize: 9 }, { Hash: { '/': 'QmB' } }],
  };
  expect(linksOf(node, { isProtobuf: true })).toEqual({
    links: [
      { cid: 'QmA', name: 'a.txt', bytes: 9 },
      { cid: 'QmB', name: '' },
    ],
    isCut: false,
  });
});

test('lists links in fields with their paths, and no bytes', () => {
  const value = { a: [{ '/': 'bafyA' }, 1, null], b: { c: { '/': 'bafyB' }, d: { '/': { bytes: 'AA' } } } };
  expect(linksOf(value, { isProtobuf: false }).links).toEqual([
    { cid: 'bafyA', name: 'a/0' },
    { cid: 'bafyB', name: 'b/c' },
  ]);
  expect(linksOf({ '/': 'bafyA' }, { isProtobuf: false }).links).toEqual([{ cid: 'bafyA', name: '' }]);
  expect(linksOf('text', { isProtobuf: false }).links).toEqual([]);
});

test('cuts long lists and ignores deep nesting', () => {
  const many = Array.from({ length: 500 }, () => ({ '/': 'bafyA' }));
  expect(linksOf(many, { isProtobuf: false })).toMatchObject({ isCut: true, links: { length: 200 } });
  let deep: unknown = { '/': 'bafyA' };
  for (let at = 0; at < 100; at++) deep = [deep];
  expect(linksOf(deep, { isProtobuf: false }).links).toEqual([]);
});
