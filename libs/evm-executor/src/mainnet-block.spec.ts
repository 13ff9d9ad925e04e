import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  blockFromJson,
  type Hex,
  knownChainSpec,
  logsBloomOf,
  type Receipt,
  verifyBlock,
  verifyReceipts,
} from '@cairn/block-model';
import {
  conformanceDirectory,
  createMemoryState,
  hasConformanceCases,
  type MemoryAccount,
} from '@cairn/block-model/testing';
import { StateCache, WorldState } from '@cairn/evm';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { expect, test } from '@jest/globals';
import { replayBlock } from './block/replay-block.ts';
import { collectRequests } from './block/system-calls.ts';

interface RecordedState {
  /** `null` for accounts that do not exist. */
  readonly accounts: Readonly<Record<Hex, { readonly nonce: Hex; readonly balance: Hex } | null>>;
  readonly code: Readonly<Record<Hex, Hex>>;
  readonly storage: Readonly<Record<Hex, Readonly<Record<Hex, Hex>>>>;
}

const name = 'block 24,476,005 of mainnet gives the receipts, the bloom, the gas and the requests of its header';

(hasConformanceCases ? test : test.skip)(
  hasConformanceCases ? name : `${name} (skipped: ../shared/conformance is not here)`,
  async () => {
    const read = (file: string) => JSON.parse(readFileSync(join(conformanceDirectory, 'mainnet', file), 'utf8'));
    const json = read('block24476005.json');
    const block = blockFromJson(json.result ?? json);
    verifyBlock(block, block.header.hash);
    const recorded = read('block24476005State.json') as RecordedState;
    const accounts: Record<Hex, MemoryAccount> = {};
    // For some contracts, only the code was read and recorded.
    for (const address of Object.keys({ ...recorded.code, ...recorded.accounts }) as Hex[]) {
      const { nonce = '0x1', balance = '0x0' } = recorded.accounts[address] ?? {};
      if (recorded.accounts[address] === null) continue;
      const [code, storage] = [recorded.code[address], recorded.storage[address]];
      accounts[address] = {
        nonce: BigInt(nonce),
        balance: BigInt(balance),
        ...(code !== undefined && code !== '0x' && { code }),
        ...(storage && { storage }),
      };
    }
    const world = new WorldState(StateCache.of(createMemoryState(accounts)));
    const receipts: Receipt[] = [];
    let cumulativeGasUsed = 0n;
    let context: Parameters<typeof collectRequests>[0] | undefined;
    const replay = replayBlock({
      spec: knownChainSpec('mainnet', 'mainnet'),
      block,
      world,
      engine: createEthereumjsEngine(),
      blockHashes: (number) => (number === block.header.number - 1n ? block.header.parentHash : undefined),
    });
    for await (const transaction of replay) {
      const { outcome, gasUsed } = await transaction.run();
      context = transaction.context;
      cumulativeGasUsed += gasUsed;
      const { logs } = outcome;
      const status = outcome.kind === 'success';
      const { type } = transaction.transaction;
      receipts.push({ type, status, cumulativeGasUsed, logsBloom: logsBloomOf(logs), logs });
    }
    expect(block.transactions.length).toBeGreaterThan(50);
    expect(cumulativeGasUsed).toBe(block.header.gasUsed);
    verifyReceipts(block.header, receipts);
    if (context === undefined) throw new Error('no transaction');
    const requests = await collectRequests(
      context,
      receipts.flatMap(({ logs }) => logs),
    );
    expect(requests).toBe(block.header.requestsHash);
  },
);
