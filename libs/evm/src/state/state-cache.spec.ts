import type { StateReader } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { StateCache } from './state-cache.ts';

/** A state whose slots have values that depend on account and slot. Counts reads. */
function countedState() {
  const reads: string[] = [];
  const slotValue = (address: Uint8Array, slot: Uint8Array) =>
    (slot[31] ?? 0) % 5 === 0 ? new Uint8Array(0) : Uint8Array.of(1 + (address[19] ?? 0), ...slot.subarray(28));
  const reader: StateReader = {
    getAccount: () => undefined,
    getCode: () => new Uint8Array(0),
    getStorage(address, slot) {
      reads.push(`${Buffer.from(address).toString('hex')} ${Buffer.from(slot).toString('hex')}`);
      return slotValue(address, slot);
    },
  };
  return { reader, reads, slotValue };
}

const addressOf = (account: number) => new Uint8Array(20).fill(account, 19);
const slotOf = (number: number) => {
  const slot = Buffer.alloc(32);
  slot.writeUInt32BE(number, 28);
  return slot;
};
const read = (cache: StateCache, account: number, slot: number) =>
  Buffer.from(cache.getStorage(`account ${account}`, addressOf(account), slotOf(slot)));

test('a cached state returns the slots of its reader, and reads each of them once', () => {
  const access = fc.tuple(fc.nat(3), fc.nat(20));
  fc.assert(
    fc.property(fc.array(access, { maxLength: 80 }), (accesses) => {
      const { reader, reads, slotValue } = countedState();
      const cache = StateCache.of(reader);
      for (const [account, slot] of accesses)
        expect(read(cache, account, slot)).toEqual(Buffer.from(slotValue(addressOf(account), slotOf(slot))));
      expect(reads.length).toBe(new Set(accesses.map(String)).size);
    }),
  );
});

test('a cached state stays correct beyond the bound of its slots', () => {
  const { reader, reads, slotValue } = countedState();
  const cache = StateCache.of(reader);
  const count = 10_500;
  for (let slot = 0; slot < count; slot++) read(cache, slot % 3, slot);
  for (const slot of [0, 1, 2, count - 1])
    expect(read(cache, slot % 3, slot)).toEqual(Buffer.from(slotValue(addressOf(slot % 3), slotOf(slot))));
  expect(reads.length).toBe(count + 3);
});

test('a failed read is not cached', () => {
  let isFailing = true;
  const { reader } = countedState();
  const cache = StateCache.of({
    ...reader,
    getStorage(address, slot) {
      if (isFailing) throw new Error('The store is closed.');
      return reader.getStorage(address, slot);
    },
  });
  expect(() => read(cache, 1, 1)).toThrow('The store is closed.');
  isFailing = false;
  expect(read(cache, 1, 1)).toEqual(Buffer.of(2, 0, 0, 0, 1));
});
