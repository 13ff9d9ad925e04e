import { randomBytes } from 'node:crypto';
import { type CID, parseCid } from '@cairn/cid';
import { type Database, prefixEnd } from '@cairn/embedded-store';
import { accountPrefix, decode, encode } from '../pin-records.ts';
import type { NewPinRequest, PinRequest } from './pin-request.ts';

const idPattern = /^[0-9a-f]{32}$/;
const idBytes = 16;

/** Returns a new id: 8 bytes of the time and 8 random bytes, so that ids are in the order of their times. */
export function newRequestId(createdAt: number): string {
  return Buffer.concat([uint64(createdAt), randomBytes(8)]).toString('hex');
}

/** Creates the record of a new request, which may replace another one of the account. */
export function queuedRequest(
  request: NewPinRequest,
  {
    account,
    createdAt,
    dueAt,
    replaced,
  }: Pick<PinRequest, 'account' | 'createdAt' | 'dueAt'> & { readonly replaced: PinRequest | undefined },
): PinRequest {
  return {
    ...request,
    id: newRequestId(createdAt),
    account,
    createdAt,
    status: 'queued',
    attempts: 0,
    dueAt,
    // An open replaced request may hold the pin of the one before it.
    ...(replaced && { holds: replaced.holds ?? replaced.cid }),
  };
}

/** Returns the bytes of an id; `undefined` for a text that is no id. */
export function idBytesOf(id: string): Buffer | undefined {
  return idPattern.test(id) ? Buffer.from(id, 'hex') : undefined;
}

/** Encodes a non-negative safe integer in the order of its value. */
export function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

export function requestKey(account: string, id: Uint8Array): Buffer {
  return Buffer.concat([accountPrefix(account), id]);
}

export function cidPrefix(account: string, cid: CID): Buffer {
  return Buffer.concat([accountPrefix(account), cid.bytes]);
}

/** Key in the index by CID. The bytes of no CID start with those of another CID. */
export function cidKeyOf(account: string, cid: CID, id: Uint8Array): Buffer {
  return Buffer.concat([cidPrefix(account, cid), id]);
}

export function openKey(account: string, dueAt: number, id: Uint8Array): Buffer {
  return Buffer.concat([accountPrefix(account), uint64(dueAt), id]);
}

/** Returns the account of a key. */
export function accountOf(key: Uint8Array): string {
  return Buffer.from(key.subarray(0, key.indexOf(0))).toString();
}

/** Accounts that are looked at in one turn of the event loop. */
const accountsPerTurn = 64;

/** Streams the accounts of a table after an account, in byte order. */
export async function* accountsIn(database: Database, after: string | undefined): AsyncGenerator<string> {
  let start = after === undefined ? undefined : prefixEnd(accountPrefix(after));
  for (let count = 1; ; count++) {
    const [key] = database.keys({ ...(start && { start }), limit: 1 });
    if (key === undefined) return;
    yield accountOf(key);
    start = prefixEnd(accountPrefix(accountOf(key)));
    if (count % accountsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns the id at the end of a key. */
export function idAtEnd(key: Uint8Array): Uint8Array {
  return key.subarray(key.length - idBytes);
}

type RequestRecord = Omit<PinRequest, 'id' | 'account' | 'createdAt'>;

export function encodeRequest({ id, account, createdAt, ...record }: PinRequest): Buffer {
  return encode(record satisfies RequestRecord);
}

export function decodeRequest(key: Uint8Array, value: Uint8Array): PinRequest {
  const id = Buffer.from(idAtEnd(key));
  const createdAt = Number(id.readBigUInt64BE(0));
  return { id: id.toString('hex'), account: accountOf(key), createdAt, ...decode<RequestRecord>(value) };
}

/** Returns the CIDs whose pins a request needs, each once. */
export function referencedCids({ cid, holds }: Pick<PinRequest, 'cid' | 'holds'>): CID[] {
  const own = parseCid(cid);
  const held = holds === undefined ? undefined : parseCid(holds);
  return held === undefined || held.equals(own) ? [own] : [own, held];
}

/** Counts of the requests of an account. */
export interface RequestCounts {
  readonly requests: number;
  readonly open: number;
}

export const noRequests: RequestCounts = { requests: 0, open: 0 };
