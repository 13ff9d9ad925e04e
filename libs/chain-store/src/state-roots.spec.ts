import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountChange, hexFromBytes, stateRootsOver } from '@cairn/block-model';
import { emptyTrieRoot } from '@cairn/trie';
import { MerkleStateManager } from '@ethereumjs/statemanager';
import { Account, createAddressFromString, KECCAK256_NULL } from '@ethereumjs/util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FlatState } from './flat-state.ts';
import { ImportState } from './import-state.ts';
import { heightKey, openTables } from './tables.ts';
import { TrieNodes } from './trie-nodes.ts';

const addresses = ['11', '22', '33'].map((byte) => createAddressFromString(`0x${byte.repeat(20)}`));
const slots = [1, 2].map((last) => Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? last : 0)));

const change = fc.record({
  address: fc.constantFrom(...addresses),
  balance: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  isStorageCleared: fc.boolean(),
  slots: fc.uniqueArray(fc.tuple(fc.constantFrom(...slots), fc.nat(3)), { selector: ([slot]) => slot, maxLength: 2 }),
});
const step = fc.uniqueArray(change, { selector: ({ address }) => address, maxLength: 3 });

test('stateRootsOver returns the roots of MerkleStateManager after every step, and writes nothing', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-roots-'));
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async ([before = [], ...steps]) => {
      const tables = await openTables(join(home, String(round++)));
      const reference = new MerkleStateManager();
      const base = new ImportState(tables, new FlatState(tables, -1n), emptyTrieRoot);
      await make(reference, before);
      const root = await base.after(before.map(accountChange));
      expect(hexFromBytes(root)).toBe(hexFromBytes(await reference.getStateRoot()));
      const { changes: written, content } = base.takeWrites();
      await tables.environment.transaction(() => {
        for (const { table, key, value } of content) tables[table].put(key, value);
        for (const { table, key, value } of written) tables[table].put(Buffer.concat([key, heightKey(0n)]), value);
      });
      const nodes = tables.nodes.count();
      const state = new FlatState(tables, 0n);
      const storageRootOf = (address: Uint8Array) => state.record(address)?.state?.storageRoot;
      const roots = stateRootsOver({ root, nodes: new TrieNodes(tables.nodes), storageRootOf });
      for (const changes of steps) {
        await make(reference, changes);
        const found = await roots.after(changes.map(accountChange));
        expect(hexFromBytes(found)).toBe(hexFromBytes(await reference.getStateRoot()));
      }
      expect(tables.nodes.count()).toBe(nodes);
      await tables.environment.close();
    }),
    { numRuns: 60 },
  );
  rmSync(home, { recursive: true });
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
const bytesOfValue = (value: number) => (value === 0 ? new Uint8Array(0) : Uint8Array.of(value));

function accountChange({ address, balance, isStorageCleared, slots: written }: Change): AccountChange {
  return {
    address: address.bytes,
    account: balance === undefined ? undefined : { nonce: 0n, balance: BigInt(balance), codeHash: KECCAK256_NULL },
    isStorageCleared,
    slots: written.map(([slot, value]) => [slot, bytesOfValue(value)] as const),
  };
}

async function make(state: MerkleStateManager, changes: readonly Change[]): Promise<void> {
  for (const { address, balance, isStorageCleared, slots: written } of changes) {
    if (balance === undefined) {
      await state.clearStorage(address);
      await state.deleteAccount(address);
      continue;
    }
    if (isStorageCleared) await state.clearStorage(address);
    const account = (await state.getAccount(address)) ?? new Account();
    account.balance = BigInt(balance);
    await state.putAccount(address, account);
    for (const [slot, value] of written) await state.putStorage(address, slot, bytesOfValue(value));
  }
}
