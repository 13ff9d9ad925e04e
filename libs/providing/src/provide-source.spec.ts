import { cidFor } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import { pinnedRoots } from './provide-source.ts';

const file = cidFor(Buffer.from('file'), { codec: 'dag-pb' });
const leaf = cidFor(Buffer.from('leaf'), { codec: 'raw' });

/** Source of one pin. */
const sourceOf = (pin: string, isServed = true) =>
  pinnedRoots(
    {
      async *roots() {},
      isPinned: async (mode, cid) => mode === 'recursive' && cid.toString() === pin,
    },
    () => isServed,
  );

test.each([
  [file.toV1(), file.toV1(), true],
  // An index has version 1 of a CID, and a pin can have version 0.
  [file.toV1(), file.toV0(), true],
  [file.toV0(), file.toV1(), true],
  [leaf, leaf, true],
  [leaf, file.toV1(), false],
])('includes reports for %s whether %s is pinned', async (asked, pin, expected) =>
  expect(await sourceOf(pin.toString()).includes(asked)).toBe(expected),
);

test('includes refuses a pin that is not served', async () =>
  expect(await sourceOf(file.toString(), false).includes(file)).toBe(false));
