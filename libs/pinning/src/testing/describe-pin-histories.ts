import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PinStore } from '../pin-store.ts';
import { isLinearizable, type PinCall, type RecordedCall, recordHistory } from './pin-history.ts';

const root = fc.constantFrom('x', 'y', 'z');
const limit = fc.constantFrom(10, 25, 1000);
const bytesOf = { x: 5, y: 10, z: 12 } as const;

const callOf = (account: fc.Arbitrary<string>): fc.Arbitrary<PinCall> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record({ kind: fc.constant('put' as const), account, root, bytesMax: limit })
        .map((call) => ({ ...call, bytes: bytesOf[call.root] })),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('putKnownRoot' as const), account, root, bytesMax: limit }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('remove' as const),
        account,
        roots: fc.uniqueArray(root, { minLength: 1, maxLength: 2 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('usage' as const), account }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('isPinned' as const), root }) },
  );

/** Calls of concurrent clients on two accounts. */
const clients = fc.array(fc.array(callOf(fc.constantFrom('a', 'b')), { minLength: 2, maxLength: 6 }), {
  minLength: 3,
  maxLength: 5,
});

/**
 * Records histories of concurrent pins, removals, quotas and reads, and requires that each is linearizable.
 *
 * @param open opens several handles on one empty store. Each handle stands for one process.
 */
export function describePinHistories(name: string, open: () => Promise<readonly PinStore[]>): void {
  describe(`${name} with concurrent clients`, () => {
    test('every history of concurrent calls is linearizable', async () => {
      const stores = await open();
      let runs = 0;
      try {
        await fc.assert(
          fc.asyncProperty(clients, async (calls) => {
            // Each attempt has names of its own, also while fast-check shrinks a failure.
            const history = await recordHistory(stores, renamed(calls, `${++runs} `));
            expect({ history, isLinearizable: isLinearizable(history) }).toMatchObject({ isLinearizable: true });
          }),
          { numRuns: 100 },
        );
        await stores[0]?.assertConsistent();
      } finally {
        for (const store of stores) await store.close();
      }
    }, 120_000);

    test('a store that checks the quota before the write is rejected', async () => {
      const stores = await open();
      try {
        const racy = stores.map(withRacyQuota);
        const histories: RecordedCall[][] = [];
        for (let run = 0; run < 20; run++) {
          const clients = Array.from({ length: 4 }, (_, n): PinCall[] => [
            { kind: 'put', account: `racy ${run}`, root: `racy ${run} ${n}`, bytes: 10, bytesMax: 15 },
          ]);
          histories.push(await recordHistory(racy, clients));
        }
        expect(histories.some((history) => !isLinearizable(history))).toBe(true);
      } finally {
        for (const store of stores) await store.close();
      }
    });
  });
}

/** Gives a run accounts and roots of its own. */
function renamed(calls: readonly (readonly PinCall[])[], prefix: string): PinCall[][] {
  return calls.map((own) =>
    own.map((call): PinCall => {
      if (call.kind === 'isPinned') return { ...call, root: prefix + call.root };
      const account = prefix + call.account;
      if (call.kind === 'usage') return { ...call, account };
      if (call.kind === 'remove') return { ...call, account, roots: call.roots.map((root) => prefix + root) };
      return { ...call, account, root: prefix + call.root };
    }),
  );
}

/** Wraps a store with the fault that the histories must find. */
function withRacyQuota(store: PinStore): PinStore {
  return new Proxy(store, {
    get(target, name) {
      if (name !== 'put') return Reflect.get(target, name, target);
      const put: PinStore['put'] = async (account, pins, { bytesMax = Number.MAX_SAFE_INTEGER } = {}) => {
        const { bytes } = await target.usage(account);
        const added = pins.reduce((sum, { size }) => sum + size.bytes, 0);
        await target.put(account, pins, { bytesMax: bytes + added > bytesMax ? bytesMax : Number.MAX_SAFE_INTEGER });
      };
      return put;
    },
  });
}
