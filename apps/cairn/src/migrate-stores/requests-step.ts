import type { PinRequestStore } from '@cairn/pinning';
import { differences, digestOf, withBoth } from './compare.ts';
import type { MigrationStep } from './migration-step.ts';

/** Pin requests, webhooks with their sealed secrets, and events that are not delivered. */
export const requestsStep: MigrationStep = {
  name: 'pin requests',
  copy: ({ from, to, copies, accountIds }) =>
    withBoth([from.pinRequests, to.pinRequests], async (source) => ({
      ...(await copies.pinRequests(source, accountIds)),
    })),
  compare: ({ from, to, accountIds }) =>
    withBoth([from.pinRequests, to.pinRequests], async (source, target) => {
      const problems: string[] = [];
      for (const account of accountIds) {
        problems.push(
          ...differences(
            `pin requests of ${account}`,
            await digestOf(requestsOf(source, account)),
            await digestOf(requestsOf(target, account)),
          ),
        );
        const [one, other] = [await webhookOf(source, account), await webhookOf(target, account)];
        if (one !== other) problems.push(`webhook of ${account}: the source and the copy differ`);
      }
      return problems;
    }),
};

async function* requestsOf(store: PinRequestStore, account: string): AsyncGenerator<unknown> {
  for await (const request of store.list(account)) yield sorted(request);
}

async function webhookOf({ webhooks }: PinRequestStore, account: string): Promise<string> {
  const webhook = await webhooks.get(account);
  return JSON.stringify([webhook === undefined ? [] : sorted(webhook), await webhooks.waiting(account)]);
}

/** Properties in the order of their names: stores return them in different orders. */
function sorted(record: object): unknown {
  return Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
}
