import { bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { Account } from '@ethereumjs/util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { historyIn, type MadeChain, makeChain, type Step, step, temporaryDirectory } from './chain.fixture.ts';
import { openChainStore } from './index.ts';
import { importChain } from './reference-import.fixture.ts';

const plans = fc.array(fc.array(step, { maxLength: 4 }), { minLength: 2, maxLength: 10 });

async function imported(chain: MadeChain, filesOf: (write: (name: string, bytes: Uint8Array) => string) => string[]) {
  const directory = temporaryDirectory();
  const store = await openChainStore({ directory: `${directory.path}/store` });
  try {
    const genesis = directory.write('genesis.json', chain.genesis);
    await importChain({ store, name: 'made', genesis, files: filesOf(directory.write) });
    return { head: store.head.hash, history: historyIn(store, chain) };
  } finally {
    await store.close();
    directory.remove();
  }
}

describe('FlatState', () => {
  const recreate: Step[][] = [
    [{ kind: 'create', child: 0 }],
    [{ kind: 'write', child: 0, slot: 1, value: 5 }],
    [{ kind: 'destroy', child: 0 }],
    [],
    [{ kind: 'create', child: 0 }],
    [
      { kind: 'write', child: 0, slot: 2, value: 9 },
      { kind: 'destroy', child: 0 },
    ],
    [{ kind: 'create', child: 0 }],
    [{ kind: 'write', child: 0, slot: 0, value: 0 }],
  ];

  test('equals the reference at every height, for any size of commits', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const chain = await makeChain(plan);
        const whole = await imported(chain, (write) => [write('chain.rlp', Buffer.concat(chain.blocks))]);
        expect(whole).toEqual({ head: chain.hashes.at(-1), history: chain.history });
        // Each file ends with a commit, so one file per block commits each block separately.
        const single = await imported(chain, (write) =>
          chain.blocks.map((block, index) => write(`${index}.rlp`, block)),
        );
        expect(single).toEqual(whole);
      }),
      { numRuns: 12, examples: [[recreate]] },
    );
  });

  test('a contract that is created again has none of its old storage, at any height', async () => {
    const chain = await makeChain(recreate);
    const [, , , first] = chain.addresses;
    const at = chain.addresses.indexOf(first as Hex);
    expect(chain.history.map((accounts) => accounts[at]?.slots)).toEqual([
      ['0x', '0x', '0x'],
      ['0x07', '0x', '0x'],
      ['0x07', '0x05', '0x'],
      ['0x', '0x', '0x'],
      ['0x', '0x', '0x'],
      ['0x07', '0x', '0x'],
      ['0x', '0x', '0x'],
      ['0x07', '0x', '0x'],
      ['0x', '0x', '0x'],
    ]);
    const { history } = await imported(chain, (write) => [write('chain.rlp', Buffer.concat(chain.blocks))]);
    expect(history).toEqual(chain.history);
  });

  test('the stored trie equals the flat tables at every height', async () => {
    const chain = await makeChain(recreate);
    const directory = temporaryDirectory();
    const store = await openChainStore({ directory: `${directory.path}/store` });
    try {
      const genesis = directory.write('genesis.json', chain.genesis);
      const files = [directory.write('chain.rlp', Buffer.concat(chain.blocks))];
      await importChain({ store, name: 'made', genesis, files });
      for (let number = 0n; number <= store.head.number; number++) {
        const hash = store.hashByNumber(number) ?? '0x';
        const rebuilt = new MerklePatriciaTrie({ useKeyHashing: true });
        for (const address of chain.addresses) {
          const account = store.stateAt(hash)?.getAccount(bytesFromHex(address));
          if (account)
            await rebuilt.put(
              bytesFromHex(address),
              new Account(account.nonce, account.balance, account.storageRoot, account.codeHash).serialize(),
            );
        }
        expect(hexFromBytes(rebuilt.root())).toBe(store.header(hash)?.stateRoot);
      }
    } finally {
      await store.close();
      directory.remove();
    }
  });

  test('a code that does not match its hash is refused', async () => {
    const chain = await makeChain([[{ kind: 'create', child: 0 }]]);
    const directory = temporaryDirectory();
    const store = await openChainStore({ directory: `${directory.path}/store` });
    try {
      const genesis = directory.write('genesis.json', chain.genesis);
      await importChain({ store, name: 'made', genesis, files: [] });
      const state = store.stateAt(store.head.hash);
      const [, factory] = chain.addresses;
      const { codeHash } = state?.getAccount(bytesFromHex(factory ?? '0x')) ?? {};
      if (!state || !codeHash) throw new Error('no factory');
      expect(keccak256(state.getCode(codeHash))).toEqual(codeHash);
      await store.tables.environment.transaction(() => store.tables.codes.put(codeHash, Uint8Array.of(0x60)));
      expect(() => state.getCode(codeHash)).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
      expect(() => state.getCode(new Uint8Array(32))).toThrow(/missing/);
    } finally {
      await store.close();
      directory.remove();
    }
  });
});
