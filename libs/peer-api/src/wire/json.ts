import { CID } from '@cairn/cid';

/** Encodes a value as JSON: CIDs as text, bytes as base64, maps as entries. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(plain(value));
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return [...value].map(plain);
  const cid = CID.asCID(value);
  if (cid !== null) return cid.toString();
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}
