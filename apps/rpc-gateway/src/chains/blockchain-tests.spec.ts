// Imports blocks of ethereum/tests (valid, invalid and on competing branches) as the services do.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesFromHex, type Hex, hexFromBytes, keccak256 } from '@cairn/block-model';
import { hasConformanceCases } from '@cairn/block-model/testing';
import { type ChainStore, openChainStore } from '@cairn/chain-store';
import { createBlockRunner } from '@cairn/evm-executor';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type BlockchainTest,
  blockchainTestFolders,
  blockchainTests,
  runBlockchainTest,
} from './blockchain-tests.fixture.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-blockchain-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs one case and returns all differences between the chain and the expectations of the case. */
async function differences(name: string, blockchainTest: BlockchainTest): Promise<readonly string[]> {
  const runner = createBlockRunner('compiled');
  const files = join(directory, name);
  mkdirSync(files);
  const store = await openChainStore({ directory: join(files, 'store') });
  try {
    const { faults, refusals } = await runBlockchainTest(blockchainTest, { store, directory: files, runner });
    const unexplained = [...refusals]
      .filter(([, reason]) => reason.length < 20)
      .map(([index]) => `no reason: ${index}`);
    const head = store.head.hash === blockchainTest.lastblockhash ? [] : [`the head is ${store.head.hash}`];
    return [...faults, ...unexplained, ...head, ...stateDifferences(store, blockchainTest)];
  } finally {
    await store.close();
  }
}

/** Compares every account of `postState` with the state at the head. */
function stateDifferences(store: ChainStore, { postState = {} }: BlockchainTest): string[] {
  const state = store.stateAt(store.head.hash);
  if (state === undefined) return ['there is no state at the head'];
  return Object.entries(postState).flatMap(([key, expected]) => {
    const address = bytesFromHex(key as Hex);
    const account = state.getAccount(address);
    if (account === undefined) return [`${key} is absent`];
    const slots = Object.entries(expected.storage).filter(([slot, value]) => {
      const found = state.getStorage(address, bytesFromHex(word(slot)));
      return BigInt(hexFromBytes(found) === '0x' ? 0 : hexFromBytes(found)) !== BigInt(value);
    });
    const isEqual =
      account.balance === BigInt(expected.balance) &&
      account.nonce === BigInt(expected.nonce) &&
      hexFromBytes(account.codeHash) === hexFromBytes(keccak256(bytesFromHex(expected.code)));
    return [...(isEqual ? [] : [`${key} differs`]), ...slots.map(([slot]) => `slot ${slot} of ${key} differs`)];
  });
}

function word(slot: string): Hex {
  return `0x${slot.replace(/^0x/, '').padStart(64, '0')}`;
}

if (!hasConformanceCases) test.skip('skipped: ../shared/conformance is not beside the repository', () => {});

(hasConformanceCases ? describe : describe.skip)('importChain accepts and refuses the blocks of ethereum/tests', () => {
  test.each(hasConformanceCases ? blockchainTestFolders() : [])('%s', async (folder) => {
    const found: Record<string, readonly string[]> = {};
    for (const [index, [name, blockchainTest]] of blockchainTests(folder).entries()) {
      const differs = await differences(String(index), blockchainTest);
      if (differs.length > 0) found[name] = differs;
    }
    expect(found).toEqual({});
  });
});
