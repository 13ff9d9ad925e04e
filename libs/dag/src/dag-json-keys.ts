import { CID } from '@cairn/cid';

/**
 * Refuses maps that DAG-JSON cannot represent: those with keys that are not text, and those of its reserved namespace, which would be
 * decoded as a link or as bytes, or not at all (https://ipld.io/specs/codecs/dag-json/spec/#reserved-namespace).
 * @throws Error
 */
export function assertDagJsonKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || CID.asCID(value) !== null) return;
  const entries = Array.isArray(value) ? [] : entriesOf(value);
  if (entries.some(([key]) => typeof key !== 'string')) throw new Error('the keys of a map must be text');
  if (isReserved(entries)) throw new Error('a map that begins with the key "/" is reserved for links and bytes');
  for (const each of Array.isArray(value) ? value : entries.map(([, each]) => each)) assertDagJsonKeys(each);
}

function entriesOf(map: object): readonly (readonly [unknown, unknown])[] {
  return map instanceof Map ? [...map] : Object.entries(map);
}

function isReserved(entries: readonly (readonly [unknown, unknown])[]): boolean {
  const content = contentOfFirst(entries, '/');
  if (typeof content === 'string') return true;
  if (typeof content !== 'object' || content === null || CID.asCID(content) !== null) return false;
  return typeof contentOfFirst(entriesOf(content), 'bytes') === 'string';
}

/** Returns the value of a key if no other key sorts before it. The order of bytes and that of UTF-16 agree on keys before these two. */
function contentOfFirst(entries: readonly (readonly [unknown, unknown])[], name: string): unknown {
  if (entries.some(([key]) => String(key) < name)) return undefined;
  return entries.find(([key]) => key === name)?.[1];
}
