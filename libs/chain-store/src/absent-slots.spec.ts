import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AbsentSlots } from './absent-slots.ts';

const slotOf = (number: number) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').toString('latin1');

/** The greatest record below a slot, as a seek finds it. */
function before(records: readonly string[], slot: string): string {
  return records.filter((record) => record < slot).at(-1) ?? '';
}

test('AbsentSlots knows a slot as absent only if it has no record', () => {
  const contracts = ['one', 'two'];
  const numbers = fc.uniqueArray(fc.nat(60), { maxLength: 12 });
  const reads = fc.array(fc.tuple(fc.constantFrom(...contracts), fc.nat(63)), { maxLength: 200 });
  fc.assert(
    fc.property(numbers, numbers, reads, (one, two, asked) => {
      const absent = new AbsentSlots();
      const records = new Map([one, two].map((list, at) => [contracts[at], list.map(slotOf).sort()]));
      for (const [contract, number] of asked) {
        const slot = slotOf(number);
        const own = records.get(contract) ?? [];
        if (absent.has(contract, slot)) expect(own).not.toContain(slot);
        else if (!own.includes(slot)) {
          absent.add(contract, before(own, slot), slot);
          expect(absent.has(contract, slot)).toBe(true);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('AbsentSlots knows all slots of a gap whose last one was read', () => {
  const absent = new AbsentSlots();
  absent.add('contract', slotOf(5), slotOf(1000));
  expect([5, 6, 999, 1000, 1001].map((number) => absent.has('contract', slotOf(number)))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  expect(absent.has('other', slotOf(6))).toBe(false);
});

test('AbsentSlots releases its gaps at a bound', () => {
  const absent = new AbsentSlots();
  for (let number = 0; number <= 4096; number++) absent.add('contract', slotOf(2 * number), slotOf(2 * number + 1));
  expect([1, 4095, 8191, 8193].map((number) => absent.has('contract', slotOf(number)))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
