import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountChange, bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import { emptyTrieRoot } from '@cairn/trie';
import { MerkleStateManager } from '@ethereumjs/statemanager';
import { Account, type Address, createAddressFromString, KECCAK256_NULL } from '@ethereumjs/util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FlatState } from './flat-state.ts';
import { ImportState } from './import-state.ts';
import { heightKey, openTables } from './tables.ts';

const addresses = ['11', '22', '33'].map((byte) => createAddressFromString(`0x${byte.repeat(20)}`));
const slots = [1, 2].map((last) => Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? last : 0)));

const address = fc.constantFrom(...addresses);
const change = fc.oneof(
  fc.record({ kind: fc.constant('account' as const), address, balance: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('slot' as const), address, slot: fc.constantFrom(...slots), value: fc.nat(3) }),
  fc.record({ kind: fc.constant('delete' as const), address }),
);
const blocks = fc.array(fc.array(change, { maxLength: 6 }), { minLength: 1, maxLength: 6 });

test('ImportState has the roots of MerkleStateManager, and every height keeps its state after deletions and new creations', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-state-'));
  let round = 0;
  await fc.assert(
    fc.asyncProperty(blocks, fc.integer({ min: 1, max: 3 }), async (history, blocksPerCommit) => {
      const tables = await openTables(join(home, String(round++)));
      const reference = new MerkleStateManager();
      const model: Map<string, string>[] = [];
      const current = new Map<string, string>();
      let state = new ImportState(tables, new FlatState(tables, -1n), emptyTrieRoot);
      let writes: {
        readonly table: 'accounts' | 'slots' | 'codes' | 'nodes';
        readonly key: Uint8Array;
        readonly value: Uint8Array;
      }[] = [];
      for (const [height, changes] of history.entries()) {
        const ours: AccountChange[] = [];
        for (const step of changes) {
          const key = step.address.toString();
          if (step.kind === 'account') {
            await reference.putAccount(
              step.address,
              withBalance(await reference.getAccount(step.address), step.balance),
            );
            current.set(key, String(step.balance));
            ours.push(changeOf(step.address, { balance: step.balance }));
          } else if (step.kind === 'slot' && current.has(key)) {
            const value = step.value === 0 ? new Uint8Array(0) : Uint8Array.of(step.value);
            await reference.putStorage(step.address, step.slot, value);
            current.set(`${key}/${hexFromBytes(step.slot)}`, String(step.value));
            ours.push(changeOf(step.address, { balance: Number(current.get(key)), slot: [step.slot, value] }));
          } else if (step.kind === 'delete') {
            await reference.clearStorage(step.address);
            await reference.deleteAccount(step.address);
            for (const name of [...current.keys()]) if (name.startsWith(key)) current.delete(name);
            ours.push(changeOf(step.address, {}));
          }
        }
        expect(hexFromBytes(await state.after(ours))).toBe(hexFromBytes(await reference.getStateRoot()));
        const { changes: made, content } = state.takeWrites();
        const at = heightKey(BigInt(height));
        writes.push(...content, ...made.map((one) => ({ ...one, key: Buffer.concat([one.key, at]) })));
        model.push(new Map(current));
        if ((height + 1) % blocksPerCommit === 0 || height === history.length - 1) {
          await tables.environment.transaction(() => {
            for (const { table, key, value } of writes) tables[table].put(key, value);
          });
          writes = [];
          state = new ImportState(tables, new FlatState(tables, BigInt(height)), bytesFromHex(state.root));
        }
      }
      for (const [height, expected] of model.entries()) {
        const flat = new FlatState(tables, BigInt(height));
        for (const at of addresses) {
          const key = at.toString();
          expect(flat.getAccount(at.bytes)?.balance.toString()).toBe(expected.get(key));
          for (const slot of slots) {
            const value = flat.getStorage(at.bytes, slot);
            expect(value.length === 0 ? '0' : String(value[0])).toBe(
              expected.get(`${key}/${hexFromBytes(slot) as Hex}`) ?? '0',
            );
          }
        }
      }
      await tables.environment.close();
    }),
    { numRuns: 40 },
  );
  rmSync(home, { recursive: true });
});

function withBalance(before: Account | undefined, balance: number): Account {
  const account = before ?? new Account();
  account.balance = BigInt(balance);
  return account;
}

/** A change of an account; without a balance, its deletion. */
function changeOf(
  address: Address,
  { balance, slot }: { readonly balance?: number; readonly slot?: readonly [Uint8Array, Uint8Array] },
): AccountChange {
  return {
    address: address.bytes,
    account: balance === undefined ? undefined : { nonce: 0n, balance: BigInt(balance), codeHash: KECCAK256_NULL },
    isStorageCleared: false,
    slots: slot ? [slot] : [],
  };
}
