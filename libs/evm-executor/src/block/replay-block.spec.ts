import { hexFromBytes } from '@cairn/block-model';
import { createMemoryState, hasConformanceCases } from '@cairn/block-model/testing';
import { StateCache, WorldState } from '@cairn/evm';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readRecordedChain } from '../recorded-chain.fixture.ts';
import { replayBlock } from './replay-block.ts';

const title = hasConformanceCases
  ? 'a chain through every fork'
  : 'a chain through every fork (skipped: ../shared/conformance is not here)';
const testHere = hasConformanceCases ? test : test.skip;

describe(title, () => {
  let chain: ReturnType<typeof readRecordedChain>;
  beforeAll(() => {
    if (hasConformanceCases) chain = readRecordedChain();
  });

  testHere('executes a transaction that the caller did not run when the next one is requested', async () => {
    const { spec, blocks, genesis } = chain;
    const [block] = blocks;
    if (block === undefined) throw new Error('no block');
    const world = new WorldState(StateCache.of(createMemoryState(genesis)));
    const seen: string[] = [];
    for await (const { transaction } of replayBlock({
      spec,
      block,
      world,
      engine: createEthereumjsEngine(),
      blockHashes: () => undefined,
    })) {
      seen.push(transaction.hash);
    }
    expect(seen).toEqual(block.transactions.map(({ hash }) => hash));
    const changed = world.takeChanges().map(({ address }) => hexFromBytes(address));
    expect(changed.length).toBeGreaterThan(block.transactions.length);
    expect(world.takeChanges()).toEqual([]);
  });
});
