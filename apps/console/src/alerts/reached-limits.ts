import type { Account } from '@cairn/auth';
import { dayMs, type MeteringStores, type Plan } from '@cairn/metering';
import type { PinStore } from '@cairn/pinning';
import { usageOfToday } from './usage-of-today.ts';

/** Limits with alerts. */
export type AlertedLimit = 'creditsPerDay' | 'bytesInPerDay' | 'bytesOutPerDay' | 'storedBytes';

/** Threshold of a limit that the usage has reached. */
export interface ReachedThreshold {
  /** Unique within the account. The name of a daily limit has its day (UTC). */
  readonly name: string;
  readonly limit: AlertedLimit;
  /** Percentage of the limit. */
  readonly threshold: number;
  readonly used: number;
  readonly maximum: number;
  /** Reset of a daily limit, in milliseconds since 1970. */
  readonly resetsAt?: number;
}

/** Thresholds that the usage of an account has reached, the lowest of each limit first. */
export async function reachedThresholds(
  account: Pick<Account, 'id' | 'quotaBytes' | 'alerts'>,
  plan: Plan | undefined,
  { usage, pins }: { readonly usage: Pick<MeteringStores['usage'], 'rows'>; readonly pins: Pick<PinStore, 'usage'> },
  now: number,
): Promise<readonly ReachedThreshold[]> {
  const thresholds = account.alerts?.thresholds ?? [];
  if (thresholds.length === 0) return [];
  const [today, held] = await Promise.all([usageOfToday(usage, account.id, now), pins.usage(account.id)]);
  const levels: readonly { limit: AlertedLimit; used: number; maximum: number | undefined }[] = [
    { limit: 'creditsPerDay', used: today.credits, maximum: plan?.creditsPerDay },
    { limit: 'bytesInPerDay', used: today.bytesIn, maximum: plan?.bytesInPerDay },
    { limit: 'bytesOutPerDay', used: today.bytesOut, maximum: plan?.bytesOutPerDay },
    { limit: 'storedBytes', used: held.bytes, maximum: account.quotaBytes ?? plan?.storedBytes },
  ];
  const day = new Date(now).toISOString().slice(0, 10);
  const resetsAt = now - (now % dayMs) + dayMs;
  return levels.flatMap(({ limit, used, maximum }) => {
    if (!maximum) return [];
    const isDaily = limit !== 'storedBytes';
    return thresholds
      .filter((threshold) => used * 100 >= maximum * threshold)
      .map((threshold) => ({
        name: isDaily ? `${limit} ${threshold} ${day}` : `${limit} ${threshold}`,
        limit,
        threshold,
        used,
        maximum,
        ...(isDaily && { resetsAt }),
      }));
  });
}

/** Thresholds to report: the highest claimed one of each limit, since it implies the others. */
export function highestOfEach(
  reached: readonly ReachedThreshold[],
  claimed: readonly string[],
): readonly ReachedThreshold[] {
  const highest = new Map<AlertedLimit, ReachedThreshold>();
  for (const one of reached) if (claimed.includes(one.name)) highest.set(one.limit, one);
  return [...highest.values()];
}
