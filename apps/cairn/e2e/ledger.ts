import type { UsageRow } from '@cairn/metering';
import type { RunningService } from '@cairn/service-kit/testing';
import type { Stores } from '@cairn/stores';

/** Sums the usage of an account from the access logs of processes. */
export function recount(services: readonly RunningService[], accountId: string): Record<string, number> {
  const sums: Record<string, number> = { credits: 0, bytesIn: 0, bytesOut: 0 };
  const add = (name: string, count: unknown) => {
    sums[name] = (sums[name] ?? 0) + Number(count);
  };
  for (const { log } of services) {
    for (const line of log.filter(({ account }) => account === accountId)) {
      for (const field of ['credits', 'bytesIn', 'bytesOut']) add(field, line[field]);
      for (const [method, count] of Object.entries((line.calls as object | undefined) ?? {})) add(method, count);
      if (line.command !== undefined) add(String(line.command), 1);
    }
  }
  return sums;
}

/** Reads the same from the ledger: requests by operation, and sums. */
export async function totals(stores: Stores, accountId: string): Promise<Record<string, number>> {
  const usage = await stores.usage();
  const sums: Record<string, number> = { credits: 0, bytesIn: 0, bytesOut: 0 };
  const add = (name: string, count: number) => {
    sums[name] = (sums[name] ?? 0) + count;
  };
  try {
    const rows: UsageRow[] = [];
    for await (const row of usage.rows(accountId, { from: 0, to: Date.now() + 1 }, 'hour')) rows.push(row);
    for (const row of rows) {
      if (row.requests > 0) add(row.operation, row.requests);
      for (const field of ['credits', 'bytesIn', 'bytesOut'] as const) add(field, row[field]);
    }
    return sums;
  } finally {
    await usage.close();
  }
}
