import { cidFor, formatCid } from '@cairn/cid';
import type { Pin } from '@cairn/pinning';
import { expect, test } from '@jest/globals';
import { scopeOfPath, scopeOfPins } from './content-scope.ts';

const old = cidFor(Buffer.from('x'), { codec: 'dag-pb', version: 0 });
const [v0, v1, base36] = [old.toString(), old.toV1().toString(), formatCid(old.toV1(), 'base36')];
const content = (path: string) => ({ path, roots: [], names: [] });

test.each([
  [`/ipfs/${v0}/a/b`, true],
  [`/ipfs/${v1}/a/b/`, true],
  [`/ipfs/${base36}/a/b/c/d`, true],
  [`/ipfs/${v1}//a//b`, true],
  [`/ipfs/${v1}/a`, false],
  [`/ipfs/${v1}/a/bc`, false],
  [`/ipfs/${v1}/a/../a/b`, false],
  [`/ipfs/${v1}/b/a/b`, false],
  [`/ipns/${v1}/a/b`, false],
  [`/ipfs/${cidFor(Buffer.from('y'), { codec: 'raw' })}/a/b`, false],
])('a link for /a/b of a CID allows %s: %s', async (path, isAllowed) => {
  expect(await scopeOfPath(`/ipfs/${v0}/a/b`).allows(content(path))).toBe(isAllowed);
});

test('a link for a name ignores the case of domains and the form of keys', async () => {
  expect(await scopeOfPath('/ipns/Site.example').allows(content('/ipns/site.Example./x'))).toBe(true);
  expect(await scopeOfPath('/ipns/site.example').allows(content('/ipns/other.example'))).toBe(false);
});

test('only recursive pins of the account allow content, in both versions of a CID', async () => {
  const pinned = (mode: Pin['mode']) => ({
    get: async (account: string, cid: { toString(): string }) =>
      account === 'ann' && cid.toString() === v0 ? ({ mode } as Pin) : undefined,
  });
  const request = { path: '', roots: [old.toV1()], names: ['a'] };
  expect(await scopeOfPins(pinned('recursive'), 'ann').allows(request)).toBe(true);
  expect(await scopeOfPins(pinned('recursive'), 'ben').allows(request)).toBe(false);
  // A direct pin is one block, but a CAR of it would have all that is below.
  expect(await scopeOfPins(pinned('direct'), 'ann').allows(request)).toBe(false);
  expect(await scopeOfPins(pinned('recursive'), 'ann').allows({ ...request, roots: [] })).toBe(true);
});
