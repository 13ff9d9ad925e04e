import { CID } from '@cairn/cid';
import { type Database, prefixEnd } from '@cairn/embedded-store';
import type { Pin, PinMode, Usage } from './pin-store.ts';
import type { DagSize } from './walk-dag.ts';

const pageLength = 256;

/** Streams entries with a prefix, after a key, in pages, so that a slow consumer does not keep a snapshot open. */
export async function* inPages(database: Database, prefix?: Uint8Array, after?: Uint8Array) {
  const end = prefix && prefixEnd(prefix);
  let start = after ? next(after) : prefix;
  while (true) {
    const page = [...database.range({ ...(start && { start }), ...(end && { end }), limit: pageLength })];
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageLength) return;
    start = next(last.key);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function next(key: Uint8Array): Uint8Array {
  return Buffer.concat([key, Buffer.of(0)]);
}

export const noUsage: Usage = { pins: 0, blocks: 0, bytes: 0 };

export function plus(a: Usage, b: Usage): Usage {
  return { pins: a.pins + b.pins, blocks: a.blocks + b.blocks, bytes: a.bytes + b.bytes };
}

export function minus(a: Usage, b: Usage): Usage {
  return { pins: a.pins - b.pins, blocks: a.blocks - b.blocks, bytes: a.bytes - b.bytes };
}

/** Returns the key prefix of an account. Account ids contain no zero byte, so no prefix starts with another. */
export function accountPrefix(account: string): Buffer {
  return Buffer.from(`${account}\0`);
}

export function modePrefix(mode: PinMode): Buffer {
  return Buffer.of(mode === 'recursive' ? 1 : 2);
}

export function rootKey(mode: PinMode, cid: CID): Buffer {
  return Buffer.concat([modePrefix(mode), cid.bytes]);
}

export function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

export function decode<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as T;
}

export interface RootRecord {
  readonly count: number;
  readonly size: DagSize;
}

interface PinRecord {
  readonly mode: PinMode;
  readonly name?: string | undefined;
  readonly addedAs?: string | undefined;
  readonly isRequested?: boolean | undefined;
  readonly createdAt: number;
  readonly size: DagSize;
}

export function encodePin({ mode, name, addedAs, isRequested, createdAt, size }: Pin): Buffer {
  return encode({ mode, name, addedAs, isRequested, createdAt, size } satisfies PinRecord);
}

export function decodePin(cid: CID, bytes: Uint8Array): Pin {
  const { mode, name, addedAs, isRequested, createdAt, size } = decode<PinRecord>(bytes);
  return {
    cid,
    mode,
    name,
    ...(addedAs !== undefined && { addedAs }),
    ...(isRequested && { isRequested }),
    createdAt,
    size,
  };
}

/** Decodes the mode and CID of a {@link rootKey}. */
export function decodeRoot(key: Uint8Array): { readonly cid: CID; readonly mode: PinMode } {
  return { mode: key[0] === 1 ? 'recursive' : 'direct', cid: CID.decode(key.subarray(1)) };
}
