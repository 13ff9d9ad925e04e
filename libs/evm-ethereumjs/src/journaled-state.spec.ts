import type { Hex } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { SimpleStateManager } from '@ethereumjs/statemanager';
import { Account, createAddressFromString } from '@ethereumjs/util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JournaledState } from './index.ts';

const addresses = ['11', '22'].map((byte) => createAddressFromString(`0x${byte.repeat(20)}`));
const slots = [0, 1].map((last) => Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? last : 0)));

describe('JournaledState', () => {
  const address = fc.constantFrom(...addresses);
  const slot = fc.constantFrom(...slots);
  const command = fc.oneof(
    fc.record({ kind: fc.constant('putAccount' as const), address, balance: fc.nat(9) }),
    fc.record({ kind: fc.constant('putStorage' as const), address, slot, value: fc.nat(255) }),
    fc.record({ kind: fc.constant('clearStorage' as const), address }),
    fc.record({ kind: fc.constant('putCode' as const), address, code: fc.uint8Array({ minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constantFrom('checkpoint' as const, 'commit' as const, 'revert' as const) }),
  );

  test('equals the reference state manager under random commands', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
        const state = new JournaledState(createMemoryState({}));
        const reference = new SimpleStateManager();
        let depth = 0;
        for (const step of commands) {
          if (step.kind === 'checkpoint') depth++;
          if (step.kind === 'commit' || step.kind === 'revert') {
            if (depth === 0) continue;
            depth--;
          }
          for (const target of [state, reference]) {
            if (step.kind === 'putAccount')
              await target.putAccount(step.address, new Account(1n, BigInt(step.balance)));
            else if (step.kind === 'putStorage')
              await target.putStorage(
                step.address,
                step.slot,
                step.value === 0 ? new Uint8Array(0) : Uint8Array.of(step.value),
              );
            else if (step.kind === 'clearStorage') await target.clearStorage(step.address);
            else if (step.kind === 'putCode') await target.putCode(step.address, step.code);
            else await target[step.kind]();
          }
        }
        for (const at of addresses) {
          const [ours, theirs] = [await state.getAccount(at), await reference.getAccount(at)];
          expect(ours && [ours.nonce, ours.balance]).toEqual(theirs && [theirs.nonce, theirs.balance]);
          for (const key of slots)
            expect(Buffer.from(await state.getStorage(at, key))).toEqual(
              Buffer.from(await reference.getStorage(at, key)),
            );
          if (ours) expect(Buffer.from(ours.codeHash)).toEqual(Buffer.from(theirs?.codeHash ?? ''));
        }
      }),
      { numRuns: 150 },
    );
  });

  test('clearStorage hides the storage of the reader, and revert shows it again', async () => {
    const [at] = addresses as [(typeof addresses)[0]];
    const [slot0] = slots as [Uint8Array];
    const storage: Record<Hex, Hex> = { [`0x${'00'.repeat(32)}` as Hex]: `0x${'00'.repeat(31)}05` };
    const reader = createMemoryState({
      [at.toString()]: { balance: 1n, storage },
    });
    const state = new JournaledState(reader);
    await state.checkpoint();
    await state.deleteAccount(at);
    expect(await state.getAccount(at)).toBeUndefined();
    expect(await state.getStorage(at, slot0)).toEqual(new Uint8Array(0));
    const changes = state.takeChanges();
    expect(changes.accounts.get(at.toString())).toBeUndefined();
    expect(changes.storage.get(at.toString())?.isCleared).toBe(true);
    await state.revert();
    expect((await state.getAccount(at))?.balance).toBe(1n);
    expect(Buffer.from(await state.getStorage(at, slot0))).toEqual(Buffer.of(5));
  });
});
