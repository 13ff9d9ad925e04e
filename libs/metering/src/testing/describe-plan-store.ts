import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { defaultPlans, type Plan, parsePlan } from '../plans/plan.ts';
import type { PlanStore } from '../plans/plan-store.ts';

const fullPlan: Required<Plan> = {
  name: 'full',
  title: 'Every field, größer',
  requestsPerSecond: 0,
  burst: 1,
  creditsPerDay: Number.MAX_SAFE_INTEGER,
  storedBytes: 2 ** 40,
  bytesInPerDay: 2 ** 33,
  bytesOutPerDay: 0,
  concurrentRequests: 3,
  webSockets: 4,
  methods: ['eth_call', 'net_*'],
  pricePerMonth: 1900,
  currency: 'EUR',
  stripePrice: 'price_team1',
  isOffered: true,
};
const noLimits = parsePlan({ name: 'no-limits' });

/**
 * Contract suite of every {@link PlanStore}.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describePlanStore(name: string, create: () => Promise<() => Promise<PlanStore>>): void {
  describe(`${name} as a PlanStore`, () => {
    let handles: PlanStore[];
    let open: () => Promise<PlanStore>;
    let store: PlanStore;
    beforeEach(async () => {
      handles = [];
      const openHandle = await create();
      open = async () => {
        const handle = await openHandle();
        handles.push(handle);
        return handle;
      };
      store = await open();
    });
    afterEach(async () => {
      for (const handle of handles) await handle.close();
    });
    const names = async (from = store) => (await from.plans()).map((plan) => plan.name);
    const planOf = async (wanted: string, from = store) => (await from.plans()).find((plan) => plan.name === wanted);

    test('an empty store lists the default plans by name', async () => {
      const byName = [...defaultPlans].sort((one, other) => (one.name < other.name ? -1 : 1));
      expect(await store.plans()).toEqual(byName);
    });

    test('put stores every field, and absent limits stay absent', async () => {
      await store.put(fullPlan);
      await store.put(noLimits);
      expect(await planOf('full')).toEqual(fullPlan);
      expect(await planOf('no-limits')).toStrictEqual(noLimits);
    });

    test('put replaces the whole plan of the same name', async () => {
      await store.put(fullPlan);
      await store.put(parsePlan({ name: 'full', webSockets: 9 }));
      expect(await planOf('full')).toStrictEqual(parsePlan({ name: 'full', webSockets: 9 }));
    });

    test('plans lists names in byte order', async () => {
      for (const plan of ['b2', 'b-1', 'b10', 'a']) await store.put(parsePlan({ name: plan }));
      expect(await names()).toEqual(['a', 'b-1', 'b10', 'b2', 'free', 'local', 'team']);
    });

    test('the first put keeps the default plans', async () => {
      await store.put(parsePlan({ name: 'mine' }));
      expect(await names()).toEqual(['free', 'local', 'mine', 'team']);
    });

    test('the first change can replace or remove a default plan', async () => {
      await store.put(parsePlan({ name: 'free', creditsPerDay: 5 }));
      expect(await planOf('free')).toStrictEqual(parsePlan({ name: 'free', creditsPerDay: 5 }));
      const fresh = await (await create())();
      handles.push(fresh);
      await fresh.remove('team');
      expect(await names(fresh)).toEqual(['free', 'local']);
    });

    test('remove rejects an unknown plan with PLAN_NOT_FOUND and changes nothing', async () => {
      await expect(store.remove('missing')).rejects.toMatchObject({ code: 'PLAN_NOT_FOUND' });
      expect(await names()).toEqual(['free', 'local', 'team']);
      await store.remove('team');
      await expect(store.remove('team')).rejects.toMatchObject({ code: 'PLAN_NOT_FOUND' });
      expect(await names()).toEqual(['free', 'local']);
    });

    test('a change is visible through every open handle when it resolves', async () => {
      const other = await open();
      expect(await names(other)).toEqual(['free', 'local', 'team']);
      await store.put(fullPlan);
      expect(await planOf('full', other)).toEqual(fullPlan);
      await other.remove('full');
      expect(await planOf('full')).toBeUndefined();
    });

    test('changes outlive the handle that made them', async () => {
      await store.put(fullPlan);
      await store.close();
      handles = [];
      expect(await planOf('full', await open())).toEqual(fullPlan);
    });

    test('concurrent first changes through two handles are all kept', async () => {
      const other = await open();
      const made = Array.from({ length: 20 }, (_, index) => `plan-${String(index).padStart(2, '0')}`);
      await Promise.all(
        made.map((plan, index) => (index % 2 === 0 ? store : other).put(parsePlan({ name: plan, burst: index + 1 }))),
      );
      expect(await names()).toEqual(['free', 'local', ...made, 'team']);
      expect((await planOf('plan-19', other))?.burst).toBe(20);
    });

    test('one of two concurrent removals of the same plan succeeds', async () => {
      const other = await open();
      const results = await Promise.allSettled([store.remove('team'), other.remove('team')]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await names()).toEqual(['free', 'local']);
    });
  });
}
