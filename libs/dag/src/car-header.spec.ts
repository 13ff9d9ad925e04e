import { type CID, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import { expect, test } from '@jest/globals';
import { decodeCarHeader } from './car-header.ts';

const root = (text: string, hash = 'sha2-256', version: 0 | 1 = 1) =>
  cidFor(Buffer.from(text), { codec: 'dag-pb', hash, version });

test('decodeCarHeader reads version and roots of a long header as the general decoder does', async () => {
  const roots = Array.from({ length: 700 }, (_, index) => [
    root(`${index}`),
    root('equal', 'sha2-256', 0),
    root('a', 'identity'),
    root(`${index}`, 'sha2-512'),
  ]).flat();
  const bytes = dagCbor.encode({ version: 1, roots });
  expect(bytes.length).toBeGreaterThan(65_536);
  const header = await decodeCarHeader(bytes);
  expect(header.version).toBe(1);
  expect((header.roots as CID[]).map(String)).toEqual(roots.map(String));
});

test('decodeCarHeader refuses a long header that is damaged or has other content', async () => {
  const roots = Array.from({ length: 700 }, (_, index) => root(`${index}`));
  const whole = dagCbor.encode({ version: 1, roots });
  const bad = [
    whole.subarray(0, 20_000),
    Buffer.concat([whole, Buffer.of(1)]),
    dagCbor.encode({ version: 1, roots: roots.map(String) }),
    dagCbor.encode({ version: 1, roots, other: 1 }),
    dagCbor.encode({ roots, other: 1 }),
    dagCbor.encode([...roots]),
    Uint8Array.from(whole, (byte, at) => (at === 9 ? 0 : byte)),
  ];
  for (const bytes of bad) await expect(decodeCarHeader(bytes)).rejects.toThrow();
});

test('equal roots of a long header share one CID, and other work runs during decoding', async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const distinct = Array.from({ length: 5000 }, (_, index) => root(`${index}`));
  const bytes = dagCbor.encode({ version: 1, roots: [...distinct, ...distinct, ...Array(50_000).fill(distinct[0])] });
  turns = 0;
  const { roots } = await decodeCarHeader(bytes);
  isDone = true;
  expect(turns).toBeGreaterThan(0);
  expect(new Set(roots as CID[]).size).toBe(5000);
});
