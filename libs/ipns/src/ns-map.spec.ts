import { expect, test } from '@jest/globals';
import { parseNsMap } from './index.ts';

test('parseNsMap reads domains in any case, CIDs with paths, and other names', () => {
  const map = parseNsMap('Site.example:/ipfs/bafkqaaa/docs, alias.example:/ipns/site.example');
  expect([...map]).toEqual([
    ['site.example', { path: '/ipfs/bafkqaaa/docs' }],
    ['alias.example', { path: '/ipns/site.example' }],
  ]);
});

test.each([
  ['site.example', 'is not of the form'],
  ['site.example:/ipld/bafkqaaa', 'is not of the form'],
  ['good.example:/ipfs/bafkqaaa,site.example:/ipfs/notacid', '"site.example:/ipfs/notacid" in IPFS_NS_MAP has no CID'],
])('parseNsMap refuses %s with the reason', (text, reason) => {
  expect(() => parseNsMap(text)).toThrow(reason);
});
