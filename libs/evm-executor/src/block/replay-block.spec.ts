import { bytesFromHex, type Hex, hexFromBytes, logsBloomOf, type Receipt, verifyReceipts } from '@cairn/block-model';
import { createMemoryState, hasConformanceCases } from '@cairn/block-model/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createEthereumjsEngine } from '../engine/ethereumjs-engine.ts';
import { forkRules } from '../fork-rules.ts';
import { readRecordedChain } from '../recorded-chain.fixture.ts';
import { StateCache } from '../state-cache.ts';
import { WorldState } from '../world-state.ts';
import { payBlock } from './pay-block.ts';
import { replayBlock } from './replay-block.ts';
import { collectRequests } from './system-calls.ts';

const title = hasConformanceCases
  ? 'a chain through every fork'
  : 'a chain through every fork (skipped: ../shared/conformance is not here)';
const testHere = hasConformanceCases ? test : test.skip;

describe(title, () => {
  let chain: ReturnType<typeof readRecordedChain>;
  beforeAll(() => {
    if (hasConformanceCases) chain = readRecordedChain();
  });

  testHere(
    'has the receipts, requests and accounts of its headers and of its head',
    async () => {
      const { spec, blocks, genesis, head } = chain;
      const world = new WorldState(StateCache.of(createMemoryState(genesis)));
      const engine = createEthereumjsEngine();
      const hashes = new Map<bigint, Hex>();
      for (const block of blocks) {
        const { header } = block;
        hashes.set(header.number - 1n, header.parentHash);
        const rules = forkRules(spec, header);
        const receipts: Receipt[] = [];
        let cumulativeGasUsed = 0n;
        const replay = replayBlock({ spec, block, world, engine, blockHashes: (number) => hashes.get(number) });
        let last: Parameters<typeof collectRequests>[0] | undefined;
        for await (const { transaction, context, run } of replay) {
          const { outcome, gasUsed } = await run();
          cumulativeGasUsed += gasUsed;
          last = context;
          receipts.push({
            type: transaction.type,
            status: outcome.kind === 'success',
            cumulativeGasUsed,
            logsBloom: logsBloomOf(outcome.logs),
            logs: outcome.logs,
          });
        }
        expect([header.number, cumulativeGasUsed]).toEqual([header.number, header.gasUsed]);
        // Before Byzantium receipts have state roots.
        if (rules.isByzantium) verifyReceipts(header, receipts);
        if (header.requestsHash !== undefined && last) {
          const logs = receipts.flatMap((receipt) => receipt.logs);
          expect([header.number, await collectRequests(last, logs)]).toEqual([header.number, header.requestsHash]);
        }
        payBlock(world, header, rules, block.withdrawals ?? []);
      }
      // Rewards for uncles are none of what this does.
      const miners = new Set<string>(
        blocks.filter(({ uncles }) => uncles.length > 0).map(({ header }) => header.miner),
      );
      const differences = Object.entries(head).filter(([address, { balance, nonce }]) => {
        if (miners.has(address)) return false;
        const account = world.getAccount(bytesFromHex(address as Hex));
        return account?.balance !== (balance ?? 0n) || account.nonce !== (nonce ?? 0n);
      });
      expect(differences.map(([address]) => address)).toEqual([]);
      expect(Object.keys(head).length).toBeGreaterThan(10);
    },
    120_000,
  );

  testHere('runs transactions that nobody has run when the next is asked for', async () => {
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
