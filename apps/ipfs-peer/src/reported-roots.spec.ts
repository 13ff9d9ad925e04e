import { CID, cidFor } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import { ReportedRoots } from './reported-roots.ts';

const file = (n: number) => cidFor(Buffer.from(`file ${n}`), { codec: 'dag-pb' });
const asLeaf = ({ multihash }: CID) => CID.createV1(0x55, multihash);

test('a served block gets the CID of its report, once', () => {
  const roots = new ReportedRoots();
  roots.add([file(1)]);
  expect(roots.take([asLeaf(file(1)), asLeaf(file(2))])).toEqual([file(1), asLeaf(file(2))]);
  expect(roots.take([asLeaf(file(1))])).toEqual([asLeaf(file(1))]);
});

test('the number of kept roots is bounded, and the oldest leaves', () => {
  const roots = new ReportedRoots();
  for (let n = 0; n <= 10_000; n++) roots.add([file(n)]);
  expect(roots.take([asLeaf(file(0)), asLeaf(file(1))])).toEqual([asLeaf(file(0)), file(1)]);
});
