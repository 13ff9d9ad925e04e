import { type BlockRun, type Hex, hexFromBytes, senderOf } from '@cairn/block-model';
import { createMemoryState, hasConformanceCases } from '@cairn/block-model/testing';
import { expect, test } from '@jest/globals';
import { createEngine } from '../engine/create-engine.ts';
import { readRecordedChain } from '../recorded-chain.fixture.ts';
import { collectBlockAccesses } from './collect-block-accesses.ts';

const title = 'collectBlockAccesses returns the accounts and codes that a block reads, and its changes';

(hasConformanceCases ? test : test.skip)(title, async () => {
  const { spec, blocks, genesis } = readRecordedChain();
  const [block] = blocks;
  if (block === undefined) throw new Error('no block');
  const parent = { ...block.header, number: 0n, hash: block.header.parentHash };
  const roots: BlockRun['roots'] = { after: async () => new Uint8Array(32) };
  const run = { spec, block, parent, state: createMemoryState(genesis), roots, blockHashes: () => undefined };
  const { reads, codes, lowestHash, changes } = await collectBlockAccesses(run, createEngine());
  const changed = new Map(changes.map((change) => [hexFromBytes(change.address), change.account]));
  for (const transaction of block.transactions) {
    const sender = senderOf(transaction);
    expect(reads.has(sender)).toBe(true);
    expect(changed.get(sender)?.nonce).toBe(BigInt(block.transactions.length));
    if (transaction.to !== null) expect(reads.has(transaction.to)).toBe(true);
  }
  const codeOf = (address: Hex) => genesis[address]?.code ?? '0x';
  for (const code of codes) expect([...reads.keys()].map(codeOf)).toContain(hexFromBytes(code));
  expect(lowestHash).toBeUndefined();
});
