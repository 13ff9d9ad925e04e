import { viewOf } from '../interpreter/words.ts';
import { type SlotTable, wordIntegers } from './slot-table.ts';
import { trimmedWordBytes, writeWordBytes } from './word-bytes.ts';

type SlotChange = readonly [key: Uint8Array, value: Uint8Array];

/**
 * Lists written slots by storage id: those written since {@link SlotTable.clearChanged}.
 * @param cleared ids of storages that were emptied; all their written slots are listed
 */
export function changedSlots(table: SlotTable, cleared: ReadonlySet<number>): Map<number, SlotChange[]> {
  const changed = new Map<number, SlotChange[]>();
  for (let entry = 0; entry < table.count; entry++) {
    const storage = table.storageOf(entry);
    if (!(cleared.has(storage) ? table.wasWritten(entry) : table.isChanged(entry))) continue;
    const key = new Uint8Array(32);
    writeWordBytes(table.keys, entry * wordIntegers, viewOf(key));
    const slots = changed.get(storage) ?? [];
    slots.push([key, trimmedWordBytes(table.values, entry * wordIntegers)]);
    changed.set(storage, slots);
  }
  return changed;
}
