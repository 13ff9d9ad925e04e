import { describe, expect, test } from '@jest/globals';
import { LightClientStore } from './light-client-store.ts';
import { parseBootstrap, parseUpdate } from './parse-beacon.ts';
import { TestBeacon, testClock, type UpdateOptions } from './testing/test-beacon.ts';

// A period of the test network has 64 slots.
const beacon = new TestBeacon();
const start = () => {
  const { root, json } = beacon.bootstrap(8);
  return LightClientStore.fromBootstrap(testClock, Buffer.from(root.slice(2), 'hex'), parseBootstrap(json, 32));
};
const updateOf = (options: UpdateOptions, from = beacon) => parseUpdate(from.update(options), 32);
const refused = (reason: RegExp) => ({ code: 'UPDATE_INVALID', message: expect.stringMatching(reason) });

test('updates move the finalized and the optimistic header through three periods', async () => {
  const store = start();
  for (const [attested, finalized] of [
    [40, 24],
    [80, 66],
    [150, 130],
  ] as const) {
    await store.process(updateOf({ attested, finalized }), 1000);
    expect(store.state.finalizedHeader.beacon.slot).toBe(finalized);
    expect(store.state.optimisticHeader.execution.blockNumber).toBe(TestBeacon.blockNumber(attested));
  }
});

describe('forged updates', () => {
  test.each([
    ['without signatures', { participants: 0 }, /no member/],
    ['by the committee of another period', { signers: 5 }, /signature of the sync committee/],
    ['from the future', { attested: 1200 }, /after the current slot/],
    ['with a signature slot before the attested slot', { signature: 40 }, /not after the attested slot/],
    ['with a finalized slot after the attested slot', { finalized: 50 }, /finalized slot is after/],
    ['two periods ahead', { attested: 140, finalized: 130 }, /does not follow the period/],
    ['one period ahead without a known committee', { attested: 70, finalized: 66 }, /does not follow the period/],
  ])('%s are refused', async (_, options, reason) => {
    const store = start();
    const { state } = store;
    const update = () => updateOf({ attested: 40, finalized: 24, ...options });
    if ('participants' in options) {
      const honest = beacon.update({ attested: 40, finalized: 24 });
      honest.data.sync_aggregate = { ...(honest.data.sync_aggregate as object), sync_committee_bits: '0x00000000' };
      await expect(store.process(parseUpdate(honest, 32), 1000)).rejects.toMatchObject(refused(reason));
    } else await expect(store.process(update(), 1000)).rejects.toMatchObject(refused(reason));
    expect(store.state).toBe(state);
  });

  test('of a chain with other keys are refused', async () => {
    await expect(
      start().process(updateOf({ attested: 40, finalized: 24 }, new TestBeacon(2)), 1000),
    ).rejects.toMatchObject(refused(/signature/));
  });

  test('that replay an older state are refused', async () => {
    const store = start();
    const old = updateOf({ attested: 40, finalized: 24 });
    await store.process(old, 1000);
    await store.process(updateOf({ attested: 60, finalized: 50 }), 1000);
    await expect(store.process(old, 1000)).rejects.toMatchObject(refused(/not after the finalized slot/));
  });

  test('with a minority of signatures finalize nothing', async () => {
    const store = start();
    await store.process(updateOf({ attested: 40, finalized: 24, participants: 21 }), 1000);
    expect(store.state.finalizedHeader.beacon.slot).toBe(8);
    await store.process(updateOf({ attested: 41, finalized: 24, participants: 22 }), 1000);
    expect(store.state.finalizedHeader.beacon.slot).toBe(24);
  });

  test('below half of the usual participation do not move the optimistic header', async () => {
    const store = start();
    await store.process(updateOf({ attested: 40, finalized: 24 }), 1000);
    await store.process(updateOf({ attested: 45, finalized: 24, participants: 16 }), 1000);
    expect(store.state.optimisticHeader.beacon.slot).toBe(40);
    await store.process(updateOf({ attested: 46, finalized: 24, participants: 17 }), 1000);
    expect(store.state.optimisticHeader.beacon.slot).toBe(46);
  });

  test('with a next committee other than the known one are refused', async () => {
    const store = start();
    await store.process(updateOf({ attested: 40, finalized: 24 }), 1000);
    const other = beacon.update({ attested: 45, finalized: 30 });
    other.data.next_sync_committee = new TestBeacon(2).update({ attested: 45, finalized: 30 }).data.next_sync_committee;
    await expect(store.process(parseUpdate(other, 32), 1000)).rejects.toMatchObject(refused(/not the known one/));
  });
});
