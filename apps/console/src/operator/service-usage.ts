import { setImmediate } from 'node:timers/promises';
import type { Account } from '@cairn/auth';
import { addCounts, type UsageRow, type UsageStore, zeroCounts } from '@cairn/metering';
import {
  addTo,
  type GroupSums,
  groupsOf,
  type UsageGroup,
  type UsagePoint,
  type UsageRange,
} from '../usage-summary.ts';

/** Accounts whose rows are read at the same time. */
const readers = 8;
/** Rows added before the event loop continues with other requests. */
const rowsPerTurn = 500;
/** Rows of each table. */
const rowsMax = 50;

/** Usage of the whole service in a range of time. */
export interface ServiceUsage {
  /** Time of this answer, in milliseconds since 1970. */
  readonly asOf: number;
  readonly stepMs: number;
  readonly total: Omit<UsageGroup, 'name'>;
  readonly points: readonly Omit<UsagePoint, 'storedBytes'>[];
  /** Accounts with requests in the range. */
  readonly activeAccounts: number;
  /** The accounts with the most credits; `name` is the id, `title` the name. */
  readonly accounts: readonly (UsageGroup & { readonly title: string; readonly plan: string })[];
  readonly services: readonly UsageGroup[];
  readonly operations: readonly UsageGroup[];
  readonly networks: readonly UsageGroup[];
}

/** Adds up the usage of all accounts. Rows are read account by account, so memory does not grow with their number. */
export async function summarizeService(
  accounts: readonly Account[],
  usage: Pick<UsageStore, 'rows'>,
  { resolution, stepMs, count, from, to }: UsageRange,
  now: number,
): Promise<ServiceUsage> {
  const points = Array.from({ length: count }, () => zeroCounts());
  const total: GroupSums = new Map();
  const groups = { accounts: new Map(), services: new Map(), operations: new Map(), networks: new Map() } as Record<
    'accounts' | 'services' | 'operations' | 'networks',
    GroupSums
  >;
  const add = (row: UsageRow) => {
    addTo(total, 'all', row);
    const point = points[Math.floor((row.at - from) / stepMs)];
    if (point) addCounts(point, row);
    addTo(groups.accounts, row.accountId, row);
    addTo(groups.services, row.service, row);
    addTo(groups.operations, row.operation, row);
    if (row.network !== '') addTo(groups.networks, row.network, row);
  };
  let read = 0;
  const waiting = accounts.values();
  const readAccounts = async () => {
    for (const { id } of waiting) {
      for await (const row of usage.rows(id, { from, to }, resolution)) {
        add(row);
        if (++read % rowsPerTurn === 0) await setImmediate();
      }
      if (++read % rowsPerTurn === 0) await setImmediate();
    }
  };
  await Promise.all(Array.from({ length: readers }, readAccounts));
  const known = new Map(accounts.map((account) => [account.id, account]));
  const [{ name: _, ...sum }] = groupsOf(total.size > 0 ? total : new Map([['all', zeroCounts()]])) as [UsageGroup];
  return {
    asOf: now,
    stepMs,
    total: sum,
    points: points.map(({ latency: _latency, ...counts }, index) => ({ at: from + index * stepMs, ...counts })),
    activeAccounts: groups.accounts.size,
    accounts: groupsOf(groups.accounts)
      .sort((one, other) => other.credits - one.credits || other.requests - one.requests)
      .slice(0, rowsMax)
      .map((group) => {
        const { name: title = group.name, plan = '' } = known.get(group.name) ?? {};
        return { ...group, title, plan };
      }),
    services: groupsOf(groups.services),
    operations: groupsOf(groups.operations).slice(0, rowsMax),
    networks: groupsOf(groups.networks).slice(0, rowsMax),
  };
}
