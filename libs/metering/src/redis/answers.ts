import type { HoldResult } from '../limits/limit-store.ts';
import type { KnownCounter } from './local-share.ts';

/** Answer of the script `take`. */
export interface TakeAnswer {
  readonly granted: number;
  readonly remaining: number;
  readonly retryAfterMs: number;
  /** End of the window by the clock of the server; absent for buckets. */
  readonly endsAt: number | undefined;
  /** Time of the server in milliseconds since 1970. */
  readonly now: number;
  readonly known: KnownCounter;
}

/** Returns the key of a counter. Its hash tag is the account: all counters of an account are on one server of a cluster. */
export function limitKey(kind: string, key: string): string {
  const [account = '', ...names] = key.split('\0');
  return ['cairn:limits', `{${encodeURIComponent(account) || '-'}}`, kind, ...names.map(encodeURIComponent)].join(':');
}

/** Parses the answer of the script `take`; `undefined` for another form. */
export function takeAnswerFrom(answer: unknown): TakeAnswer | undefined {
  if (!Array.isArray(answer) || answer.length !== 8) return undefined;
  const texts: unknown[] = answer;
  const epoch = texts[5];
  const [granted, remaining, retryAfterMs, ends, now, , value, at] = texts.map(numberFrom);
  const isWhole = granted !== undefined && remaining !== undefined && retryAfterMs !== undefined && ends !== undefined;
  if (!isWhole || now === undefined || value === undefined || at === undefined || typeof epoch !== 'string')
    return undefined;
  const endsAt = ends < 0 ? undefined : ends;
  return { granted, remaining, retryAfterMs, endsAt, now, known: { epoch, value, at } };
}

/** Parses the answer of the script `hold`; `undefined` for another form. */
export function holdAnswerFrom(answer: unknown): HoldResult | undefined {
  if (!Array.isArray(answer) || answer.length !== 2) return undefined;
  const [held, others]: unknown[] = answer;
  return isCount(held) && isCount(others) ? { held, others } : undefined;
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function numberFrom(text: unknown): number | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
