import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { BillingCustomer, BillingStore } from '../billing-store.ts';

const dayMs = 86_400_000;
const customer = (accountId: string, more: Partial<BillingCustomer> = {}): BillingCustomer => ({
  accountId,
  customerId: `cus_${accountId}`,
  changedAt: 0,
  ...more,
});

/**
 * Contract suite of every {@link BillingStore}.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describeBillingStore(name: string, create: () => Promise<() => Promise<BillingStore>>): void {
  describe(`${name} as a BillingStore`, () => {
    let handles: BillingStore[];
    let open: () => Promise<BillingStore>;
    let store: BillingStore;
    let other: BillingStore;
    beforeEach(async () => {
      const openHandle = await create();
      handles = [];
      open = async () => {
        const handle = await openHandle();
        handles.push(handle);
        return handle;
      };
      store = await open();
      other = await open();
    });
    const closeAll = async () => {
      for (const handle of handles.splice(0)) await handle.close();
    };
    afterEach(closeAll);

    describe('customers', () => {
      test('are found by account and by customer id', async () => {
        await store.update('a', () => customer('a'));
        await store.update('b', () => customer('b'));
        expect(await other.customer('a')).toEqual(customer('a'));
        expect(await other.byCustomerId('cus_b')).toEqual(customer('b'));
        for (const absent of ['c', 'cus_a']) expect(await other.customer(absent)).toBeUndefined();
        for (const absent of ['a', 'cus_c', 'CUS_a']) expect(await other.byCustomerId(absent)).toBeUndefined();
      });

      test('keep every field, and an absent card stays absent', async () => {
        const withCard = customer('a', { paymentMethodId: 'pm_1', changedAt: 1_900_000_000 });
        expect(await store.update('a', () => withCard)).toEqual(withCard);
        expect(await other.customer('a')).toStrictEqual(withCard);
        await store.update('a', () => customer('a', { changedAt: 5 }));
        expect(await other.customer('a')).toStrictEqual(customer('a', { changedAt: 5 }));
      });

      test('update passes the stored customer, or undefined, to the change', async () => {
        const seen: (BillingCustomer | undefined)[] = [];
        for (const changedAt of [1, 2]) {
          await store.update('a', (before) => {
            seen.push(before);
            return customer('a', { changedAt });
          });
        }
        expect([seen[0], seen.at(-1)]).toEqual([undefined, customer('a', { changedAt: 1 })]);
      });

      test('update stores nothing if the change throws', async () => {
        const fail = () => {
          throw new Error('planted');
        };
        await expect(store.update('a', fail)).rejects.toThrow('planted');
        expect(await store.customer('a')).toBeUndefined();
        await store.update('a', () => customer('a'));
        await expect(store.update('a', fail)).rejects.toThrow('planted');
        expect(await store.customer('a')).toEqual(customer('a'));
      });

      test('of concurrent first updates through two handles one creates the customer', async () => {
        const made = await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            (index % 2 ? store : other).update(
              'a',
              (before) => before ?? customer('a', { customerId: `cus_${index}` }),
            ),
          ),
        );
        expect(new Set(made.map(({ customerId }) => customerId)).size).toBe(1);
        expect(await store.byCustomerId(made[0]?.customerId ?? '')).toEqual(made[0]);
      });

      test('concurrent updates through two handles are all applied', async () => {
        await store.update('a', () => customer('a'));
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 ? store : other).update('a', (before) =>
              customer('a', { changedAt: (before?.changedAt ?? 0) + 1 }),
            ),
          ),
        );
        expect((await other.customer('a'))?.changedAt).toBe(20);
      });
    });

    describe('processed events', () => {
      test('are visible through every open handle', async () => {
        expect(await other.isProcessed('evt_1')).toBe(false);
        await store.markProcessed('evt_1', 0);
        expect(await other.isProcessed('evt_1')).toBe(true);
        expect(await other.isProcessed('evt_2')).toBe(false);
      });

      test('can be marked again, also concurrently', async () => {
        await Promise.all([store, other, store, other].map((handle) => handle.markProcessed('evt_1', 5)));
        await store.markProcessed('evt_1', 6);
        expect(await store.isProcessed('evt_1')).toBe(true);
      });

      test('are kept for at least 30 days', async () => {
        await store.markProcessed('evt_1', dayMs);
        await store.markProcessed('evt_2', 31 * dayMs);
        expect(await other.isProcessed('evt_1')).toBe(true);
      });
    });

    test('customers and events outlive the handle that stored them', async () => {
      await store.update('a', () => customer('a'));
      await store.markProcessed('evt_1', 0);
      await closeAll();
      store = await open();
      expect(await store.customer('a')).toEqual(customer('a'));
      expect(await store.byCustomerId('cus_a')).toEqual(customer('a'));
      expect(await store.isProcessed('evt_1')).toBe(true);
    });
  });
}
