import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SlotTable, wordIntegers } from './slot-table.ts';

const word = fc.int32Array({ minLength: wordIntegers, maxLength: wordIntegers });
const zero = new Int32Array(wordIntegers);
const valueAt = (table: SlotTable, entry: number) => [
  ...table.values.subarray(entry * wordIntegers, (entry + 1) * wordIntegers),
];

describe('SlotTable', () => {
  test('finds exactly the added slots at any size', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.nat(3), word), { maxLength: 300, selector: String }),
        word,
        (slots, other) => {
          const table = new SlotTable();
          for (const [storage, name] of slots) {
            expect(table.find(storage, name, 0)).toBe(-1);
            table.add(storage, name, 0, name);
          }
          for (const [index, [storage, name]] of slots.entries()) {
            const entry = table.find(storage, name, 0);
            expect(entry).toBe(index);
            expect(table.storageOf(entry)).toBe(storage);
            expect(valueAt(table, entry)).toEqual([...name]);
            expect(table.find(storage + 4, name, 0)).toBe(-1);
          }
          expect(table.find(9, other, 0)).toBe(-1);
          expect(table.count).toBe(slots.length);
        },
      ),
    );
  });

  /** The model of the table is a plain list that is copied at each checkpoint. */
  test('revert restores the slots of the checkpoint', () => {
    const names = [1, 2, 3].map((number) => Int32Array.of(number, 0, 0, 0, 0, 0, 0, 0));
    const step = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), slot: fc.nat(2), value: word }),
      fc.record({ kind: fc.constant('warm' as const), slot: fc.nat(2) }),
      fc.constant({ kind: 'checkpoint' as const }),
      fc.constant({ kind: 'commit' as const }),
      fc.constant({ kind: 'revert' as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const table = new SlotTable();
        for (const name of names) table.add(0, name, 0, zero);
        let model = names.map(() => ({ value: [...zero], isWarm: false }));
        const checkpoints: { readonly place: number; readonly copy: typeof model }[] = [];
        const resume = () => table.resume(checkpoints.at(-1)?.place ?? 0);
        for (const each of steps) {
          if (each.kind === 'write') {
            table.write(each.slot, each.value, 0);
            model = model.map((slot, index) => (index === each.slot ? { ...slot, value: [...each.value] } : slot));
          } else if (each.kind === 'warm') {
            expect(table.accessWasCold(each.slot)).toBe(!model[each.slot]?.isWarm);
            model = model.map((slot, index) => (index === each.slot ? { ...slot, isWarm: true } : slot));
          } else if (each.kind === 'checkpoint') checkpoints.push({ place: table.checkpoint(), copy: model });
          else {
            const last = checkpoints.pop();
            if (last === undefined) continue;
            if (each.kind === 'revert') {
              table.revert(last.place);
              model = last.copy;
            }
            resume();
          }
          expect(names.map((_, entry) => valueAt(table, entry))).toEqual(model.map(({ value }) => value));
        }
        expect(names.map((_, entry) => !table.accessWasCold(entry))).toEqual(model.map(({ isWarm }) => isWarm));
      }),
      { numRuns: 300 },
    );
  });

  test('beginMessage keeps values and makes every slot cold', () => {
    const table = new SlotTable();
    const entry = table.add(0, zero, 0, zero);
    const value = new Int32Array(wordIntegers).fill(7);
    table.accessWasCold(entry);
    table.write(entry, value, 0);
    expect([...table.originals.subarray(0, wordIntegers)]).toEqual([...zero]);
    table.beginMessage();
    expect([...table.originals.subarray(0, wordIntegers)]).toEqual([...value]);
    expect(table.accessWasCold(entry)).toBe(true);
    expect([table.isChanged(entry), table.wasWritten(entry)]).toEqual([true, true]);
    table.clearChanged();
    expect([table.isChanged(entry), table.wasWritten(entry)]).toEqual([false, true]);
  });

  test('writes to one slot between checkpoints share one journal record', () => {
    const table = new SlotTable();
    const entry = table.add(0, zero, 0, zero);
    const value = new Int32Array(wordIntegers);
    for (let round = 0; round < 100_000; round++) table.write(entry, value.fill(round), 0);
    expect(table.clear()).toBe(true);
  });
});
