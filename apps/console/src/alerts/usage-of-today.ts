import { dayMs, type UsageStore } from '@cairn/metering';

/** Usage of the current day (UTC), which counts against the daily limits. */
export async function usageOfToday(usage: Pick<UsageStore, 'rows'>, accountId: string, now: number) {
  const from = now - (now % dayMs);
  const sum = { requests: 0, credits: 0, bytesIn: 0, bytesOut: 0, limited: 0 };
  for await (const row of usage.rows(accountId, { from, to: from + dayMs }, 'day')) {
    for (const field of Object.keys(sum) as (keyof typeof sum)[]) sum[field] += row[field];
  }
  return sum;
}
