import { decodeRlp, encodeRlp } from '@cairn/block-model';

/** Change of one account or slot by a block. */
export interface StateChange {
  readonly table: 'accounts' | 'slots';
  /** Key in the table, without the height. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const tables = ['accounts', 'slots'] as const;

/** Encodes the changes of a block for the table `changes`. */
export function encodeChanges(changes: readonly StateChange[]): Uint8Array {
  return encodeRlp(changes.map(({ table, key, value }) => [Uint8Array.of(tables.indexOf(table)), key, value]));
}

export function decodeChanges(bytes: Uint8Array): StateChange[] {
  const items = decodeRlp('state changes', bytes) as unknown as readonly (readonly [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ])[];
  return items.map(([table, key, value]) => ({ table: tables[table[0] ?? 0] ?? 'accounts', key, value }));
}
