import { listHead } from './list-head.ts';
import { linkTo, RecordSeal } from './record-seal.ts';
import { copy, firstKey, type LmdbTable } from './records.ts';

/** Records and bytes per transaction. A commit takes a few milliseconds and writes a few megabytes at most. */
const recordsMax = 512;
const bytesMax = 1024 * 1024;

/**
 * Seals the next records of a database. Call it inside a transaction.
 * @returns the key of the next record, or `undefined` when all records are sealed
 */
export function sealBatch(root: LmdbTable, table: LmdbTable, name: string, from?: Uint8Array): Uint8Array | undefined {
  const seal = new RecordSeal(name);
  const page: { readonly key: Uint8Array; readonly value: Uint8Array }[] = [];
  let next: Uint8Array | undefined;
  let bytes = 0;
  for (const { key, value } of table.getRange({ start: from ?? firstKey, limit: recordsMax + 1 })) {
    if (page.length >= recordsMax || bytes >= bytesMax) {
      next = copy(key);
      break;
    }
    page.push({ key: copy(key), value: copy(value) });
    bytes += value.length;
  }
  if (from === undefined && page.length > 0)
    listHead(root, name, (damage) => new Error(damage)).write(linkTo(page[0]?.key));
  for (const [index, { key, value }] of page.entries())
    table.putSync(key, seal.close(key, linkTo(page[index + 1]?.key ?? next), value));
  return next;
}
