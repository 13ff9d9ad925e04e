// Index from address or topic to block heights. A log filter seeks in it instead of reading every block.
import { bytesFromHex, type Hex, type Log, type LogField } from '@cairn/block-model';
import type { Database } from '@cairn/embedded-store';
import { heightKey } from './tables.ts';

/** Adds the addresses and topics of a block's logs. Call it inside a transaction. */
export function indexLogs(table: Database, height: bigint, logs: readonly Log[]): void {
  for (const key of keysOf(logs, height)) table.put(key, noBytes);
}

/** Removes the entries of {@link indexLogs}. Call it inside a transaction. */
export function unindexLogs(table: Database, height: bigint, logs: readonly Log[]): void {
  for (const key of keysOf(logs, height)) table.remove(key);
}

const noBytes = new Uint8Array(0);

function keysOf(logs: readonly Log[], height: bigint): Buffer[] {
  const keys = new Map<string, Buffer>();
  const add = (field: LogField, value: Hex) => {
    const name = `${field}${value}`;
    if (!keys.has(name)) keys.set(name, Buffer.concat([prefixOf(field, value), heightKey(height)]));
  };
  for (const { address, topics } of logs) {
    add('address', address);
    for (const [index, topic] of topics.entries()) if (index < 4) add(index as LogField, topic);
  }
  return [...keys.values()];
}

/** Returns heights from `from` to `to` of blocks with one of the values in a field, ascending and unique. */
export function heightsWith(
  table: Database,
  field: LogField,
  values: readonly Hex[],
  { from, to }: { readonly from: bigint; readonly to: bigint },
): bigint[] {
  const heights = new Set<bigint>();
  for (const value of values) {
    const prefix = prefixOf(field, value);
    const range = { start: Buffer.concat([prefix, heightKey(from)]), end: Buffer.concat([prefix, heightKey(to + 1n)]) };
    for (const key of table.keys(range)) heights.add(Buffer.from(key).readBigUInt64BE(prefix.length));
  }
  return [...heights].sort((a, b) => (a < b ? -1 : 1));
}

/** Reports whether a log of the block at a height has one of the values in a field. */
export function hasOneOf(table: Database, field: LogField, values: readonly Hex[], height: bigint): boolean {
  return values.some((value) => table.has(Buffer.concat([prefixOf(field, value), heightKey(height)])));
}

function prefixOf(field: LogField, value: Hex): Buffer {
  return Buffer.concat([Buffer.of(field === 'address' ? 0 : field + 1), bytesFromHex(value)]);
}
