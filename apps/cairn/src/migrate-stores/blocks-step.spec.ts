import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cidFor } from '@cairn/cid';
import { openStores } from '@cairn/stores';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { blocksStep } from './blocks-step.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cairn-blocks-step-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const unused = () => Promise.reject(new Error('The copy of blocks copies no other records.'));

test('the copy of blocks marks dag-pb nodes without links, and no others', async () => {
  const [from, to] = ['from', 'to'].map((name) => openStores({ CAIRN_HOME: join(home, name) }));
  if (from === undefined || to === undefined) throw new Error('unreachable');
  const data = Buffer.from([0x0a, 3, 8, 2, 18]);
  const leaf = { bytes: data, cid: cidFor(data, { codec: 'dag-pb' }) };
  const link = Buffer.concat([Buffer.from([0x0a, leaf.cid.bytes.length]), leaf.cid.bytes]);
  const linking = Buffer.concat([Buffer.from([0x12, link.length]), link]);
  const parent = { bytes: linking, cid: cidFor(linking, { codec: 'dag-pb' }) };
  const source = await from.blocks();
  await source.putMany([leaf, parent]);
  await source.sync();
  await source.close();
  const copies = { accounts: unused, pinRequests: unused, usage: unused };
  expect(await blocksStep.copy({ from, to, copies, accountIds: [] })).toMatchObject({ written: 2 });
  const target = await to.blocks();
  expect(await target.leafLengths?.([leaf.cid, parent.cid])).toEqual([leaf.bytes.length, undefined]);
  await target.close();
});
