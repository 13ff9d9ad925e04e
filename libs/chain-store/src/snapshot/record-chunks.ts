import { promisify } from 'node:util';
import { gunzip as gunzipWithCallback, gzip as gzipWithCallback } from 'node:zlib';
import { rlpSpanAt, viewOfBytes } from '@cairn/rlp';
import { snapshotLimits } from './manifest.ts';

const gunzip = promisify(gunzipWithCallback);
const gzip = promisify(gzipWithCallback);

/** Level 1 takes a third of the time of level 6, for files that are a few percent larger. */
const level = 1;

/**
 * Joins records to chunks. The next chunk is filled while the last one is compressed in another thread.
 * @param records each one RLP value
 */
export async function* chunksOf(records: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let pending: Promise<Uint8Array> | undefined;
  const close = () => {
    const compressed = gzip(Buffer.concat(parts), { level });
    // The await below throws the error; until then it must not be unhandled.
    compressed.catch(() => {});
    parts = [];
    bytes = 0;
    return compressed;
  };
  for await (const record of records) {
    parts.push(record);
    bytes += record.length;
    if (bytes < snapshotLimits.chunkBytes) continue;
    if (pending) yield await pending;
    pending = close();
  }
  if (pending) yield await pending;
  if (bytes > 0) yield await close();
}

/** Reads the records of a chunk. @throws for data that is not gzip, exceeds the limit, or is not RLP */
export async function recordsOf(chunk: Uint8Array): Promise<Uint8Array[]> {
  const bytes = await gunzip(chunk, { maxOutputLength: snapshotLimits.chunkBytesMax });
  return itemsOf(bytes, 0, bytes.length);
}

/** Reads the items of an RLP list, each still encoded. @throws DECODE_FAILED */
export function listItems(record: Uint8Array): Uint8Array[] {
  const span = rlpSpanAt('record', record, 0, record.length);
  if (!span.isList || span.end !== record.length) throw new Error('a record is not one RLP list');
  return itemsOf(record, span.start, span.end);
}

/** Reads the bytes of an encoded RLP string. @throws DECODE_FAILED */
export function stringOf(item: Uint8Array): Uint8Array {
  const span = rlpSpanAt('record', item, 0, item.length);
  if (span.isList || span.end !== item.length) throw new Error('a field is a list, not bytes');
  return viewOfBytes(item, span.start, span.end);
}

function itemsOf(bytes: Uint8Array, start: number, end: number): Uint8Array[] {
  const items: Uint8Array[] = [];
  for (let at = start; at < end; ) {
    const span = rlpSpanAt('record', bytes, at, end);
    items.push(viewOfBytes(bytes, at, span.end));
    at = span.end;
  }
  return items;
}
