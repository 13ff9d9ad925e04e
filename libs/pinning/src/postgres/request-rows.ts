import type { CID } from '@cairn/cid';
import { PinRequestsFullError } from '../errors.ts';
import { type PinRequest, pinRequestLimits } from '../requests/pin-request.ts';
import { uint64 } from '../requests/pin-request-records.ts';
import type { AccountRow } from './request-tables.ts';

/** Row of a pin request. */
export interface RequestRow {
  readonly account: string;
  readonly id: string;
  readonly due_at: number | null;
  readonly worker: string | null;
  readonly record: string;
  /** True while the worker of the row renews its lease. */
  readonly is_claimed?: boolean;
}

/** Properties of a request that are not in columns. */
type RequestRecord = Omit<PinRequest, 'id' | 'account' | 'createdAt' | 'dueAt'>;

/** The request that is replaced leaves its room. @throws PIN_REQUESTS_FULL */
export function assertRoom({ requests, open }: AccountRow, replaced: PinRequest | undefined): void {
  const { requestsMax, openMax } = pinRequestLimits;
  const [left, leftOpen] = replaced ? [1, replaced.dueAt === undefined ? 0 : 1] : [0, 0];
  if (open - leftOpen >= openMax) throw new PinRequestsFullError(`${open} open pin requests`, openMax);
  if (requests - left >= requestsMax) throw new PinRequestsFullError(`${requests} pin requests`, requestsMax);
}

export function requestOf({ account, id, due_at, record }: RequestRow): PinRequest {
  const createdAt = Number(Buffer.from(id, 'hex').readBigUInt64BE(0));
  const stored = JSON.parse(record) as RequestRecord;
  return { id, account, createdAt, ...stored, ...(due_at !== null && { dueAt: due_at }) };
}

export function recordOf({ id: _, account: __, createdAt: ___, dueAt: ____, ...record }: PinRequest): string {
  return JSON.stringify(record satisfies RequestRecord);
}

export function bytesOf(cids: readonly CID[]): Uint8Array[] {
  return cids.map(({ bytes }) => bytes);
}

/** Returns a text that is before all ids of a time, in microseconds since 1970, and after those of earlier times. */
export function firstIdAt(time: number): string {
  return uint64(Math.max(0, time)).toString('hex');
}
