import type { UsageStore } from '@cairn/metering';
import { differences, digestOf, withBoth } from './compare.ts';
import type { MigrationStep } from './migration-step.ts';

export const plansStep: MigrationStep = {
  name: 'plans',
  copy: ({ from, to }) =>
    withBoth([from.plans, to.plans], async (source, target) => {
      const plans = await source.plans();
      for (const plan of plans) await target.put(plan);
      const names = new Set(plans.map(({ name }) => name));
      // The first change of a plan stores the default plans, of which the home may have removed some.
      for (const { name } of await target.plans()) if (!names.has(name)) await target.remove(name);
      return { plans: plans.length };
    }),
  compare: ({ from, to }) =>
    withBoth([from.plans, to.plans], async (source, target) =>
      differences('plans', await digestOf(await source.plans()), await digestOf(await target.plans())),
    ),
};

/** Customers of the payment provider. The ids of processed events are not copied: an event is applied by its time. */
export const billingStep: MigrationStep = {
  name: 'billing',
  copy: ({ from, to, accountIds }) =>
    withBoth([from.billing, to.billing], async (source, target) => {
      let customers = 0;
      for (const id of accountIds) {
        const customer = await source.customer(id);
        if (customer === undefined) continue;
        await target.update(id, () => customer);
        customers++;
      }
      return { customers };
    }),
  compare: ({ from, to, accountIds }) =>
    withBoth([from.billing, to.billing], async (source, target) => {
      const [one, other] = [source, target].map((store) => Promise.all(accountIds.map((id) => store.customer(id))));
      return differences('customers', await digestOf(present(await one)), await digestOf(present(await other)));
    }),
};

export const hostsStep: MigrationStep = {
  name: 'gateway hosts',
  copy: ({ from, to }) =>
    withBoth([from.gatewayHosts, to.gatewayHosts], async (source, target) => {
      const hosts = await source.list();
      for (const host of hosts) await target.put(host);
      return { hosts: hosts.length };
    }),
  compare: ({ from, to }) =>
    withBoth([from.gatewayHosts, to.gatewayHosts], async (source, target) =>
      differences('gateway hosts', await digestOf(await source.list()), await digestOf(await target.list())),
    ),
};

/** Usage of minutes, hours and days, uses of keys, and samples of stored bytes. */
export const usageStep: MigrationStep = {
  name: 'usage',
  copy: ({ from, to, copies, accountIds }) =>
    withBoth([from.usage, to.usage], async (source) => {
      let rows = 0;
      for (const id of accountIds) rows += await copies.usage(source, id);
      return { rows };
    }),
  compare: ({ from, to, accountIds }) =>
    withBoth([from.usage, to.usage], async (source, target) => {
      const problems: string[] = [];
      for (const id of accountIds) {
        const [one, other] = [await sumsOf(source, id), await sumsOf(target, id)];
        if (one !== other) problems.push(`usage of ${id}: ${one} in the source, ${other} in the copy`);
      }
      return problems;
    }),
};

/** Sums of the days of an account. */
async function sumsOf(store: UsageStore, id: string): Promise<string> {
  const sums = { rows: 0, requests: 0, errors: 0, limited: 0, credits: 0, bytesIn: 0, bytesOut: 0, gas: 0 };
  const { rows: _, ...counted } = sums;
  for await (const row of store.rows(id, { from: 0, to: Number.MAX_SAFE_INTEGER }, 'day')) {
    sums.rows++;
    for (const name of Object.keys(counted) as (keyof typeof counted)[]) sums[name] += row[name];
  }
  return JSON.stringify(sums);
}

function present<T>(items: readonly (T | undefined)[] | undefined): readonly T[] {
  return (items ?? []).filter((item) => item !== undefined);
}
