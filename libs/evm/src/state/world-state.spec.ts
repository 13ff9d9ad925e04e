import type { Hex, StateReader } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { StateCache } from './state-cache.ts';
import { WorldState } from './world-state.ts';

const addresses = [1, 2].map((byte) => new Uint8Array(20).fill(byte));
const slots = [1, 2].map((byte) => new Uint8Array(32).fill(byte));
const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const [first = new Uint8Array(20)] = addresses;
const [slot = new Uint8Array(32)] = slots;

const base = () =>
  createMemoryState({
    [hexOf(first)]: { balance: 5n, nonce: 1n, code: '0x6001', storage: { [hexOf(slot)]: hexOf(slot) } },
  });

/** Snapshot of everything that the operations below can change. */
const contents = (world: WorldState) =>
  addresses.map((address) => ({
    balance: world.getAccount(address)?.balance,
    nonce: world.getAccount(address)?.nonce,
    code: hexOf(world.getCode(address)),
    storage: slots.map((key) => hexOf(world.getStorage(address, key))),
  }));

describe('WorldState', () => {
  const address = fc.constantFrom(...addresses);
  const change = fc.oneof(
    fc.record({ kind: fc.constant('balance' as const), address, value: fc.bigInt({ min: 0n, max: 9n }) }),
    fc.record({ kind: fc.constant('code' as const), address, value: fc.uint8Array({ maxLength: 3 }) }),
    fc.record({
      kind: fc.constant('slot' as const),
      address,
      key: fc.constantFrom(...slots),
      value: fc.constantFrom(new Uint8Array(0), Uint8Array.of(7)),
    }),
    fc.record({ kind: fc.constant('clear' as const), address }),
    fc.record({ kind: fc.constant('remove' as const), address }),
  );
  const apply = (world: WorldState, step: typeof change extends fc.Arbitrary<infer T> ? T : never) => {
    if (step.kind === 'balance') world.updateAccount(step.address, { balance: step.value });
    else if (step.kind === 'code') world.setCode(step.address, step.value);
    else if (step.kind === 'slot') world.setStorage(step.address, step.key, step.value);
    else if (step.kind === 'clear') world.clearStorage(step.address);
    else world.setAccount(step.address, undefined);
  };

  test('revert undoes exactly the writes after the checkpoint', () => {
    const steps = fc.array(change, { maxLength: 8 });
    fc.assert(
      fc.property(steps, steps, steps, (before, kept, dropped) => {
        const world = new WorldState(StateCache.of(base()));
        for (const step of before) apply(world, step);
        const untouched = contents(world);
        world.checkpoint();
        for (const step of kept) apply(world, step);
        const inner = contents(world);
        world.checkpoint();
        for (const step of dropped) apply(world, step);
        world.revert();
        expect(contents(world)).toEqual(inner);
        world.checkpoint();
        for (const step of dropped) apply(world, step);
        world.commit();
        world.revert();
        expect(contents(world)).toEqual(untouched);
      }),
    );
  });

  test('writes stay in their world, and slots keep their original values', () => {
    const cache = StateCache.of(base());
    const world = new WorldState(cache);
    world.setStorage(first, slot, Uint8Array.of(9));
    world.setStorage(first, slot, new Uint8Array(0));
    expect(world.getStorage(first, slot)).toEqual(new Uint8Array(0));
    expect(world.getOriginalStorage(first, slot)).toEqual(slot);
    world.beginMessage();
    expect(world.getOriginalStorage(first, slot)).toEqual(new Uint8Array(0));
    expect(new WorldState(cache).getStorage(first, slot)).toEqual(slot);
  });

  test('worlds over one reader share its cache, absent accounts included', () => {
    const reader = base();
    const reads: string[] = [];
    const counted = <Arguments extends unknown[], Result>(kind: string, read: (...given: Arguments) => Result) => {
      return (...given: Arguments) => {
        reads.push(kind);
        return read(...given);
      };
    };
    const counting: StateReader = {
      getAccount: counted('account', reader.getAccount),
      getCode: counted('code', reader.getCode),
      getStorage: counted('slot', reader.getStorage),
    };
    for (let round = 0; round < 3; round++) contents(new WorldState(StateCache.of(counting)));
    expect(reads.filter((read) => read === 'account')).toHaveLength(2);
    expect(reads.filter((read) => read === 'slot')).toHaveLength(4);
    expect(reads.filter((read) => read === 'code').length).toBeLessThanOrEqual(1);
  });
});
