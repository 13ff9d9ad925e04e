import { runInNewContext } from 'node:vm';
import { RLP } from '@ethereumjs/rlp';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeRlp, encodeRlp, encodeRlpList, type RlpItem, rlpLimits } from './index.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const ascii = (text: string) => new Uint8Array(Buffer.from(text));
const { item: arbitraryItem } = fc.letrec<{ item: RlpItem; list: RlpItem[] }>((tie) => ({
  list: fc.array(tie('item'), { maxLength: 8 }),
  item: fc.oneof({ depthSize: 'small' }, fc.uint8Array({ maxLength: 80 }), tie('list')),
}));

/** Lists nested as deep as the given number of bytes allows. */
function nestedLists(bytes: number): Uint8Array {
  const bomb = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) bomb.writeUInt32BE(0xfa00_0000 + (bytes - at - 4), at);
  return bomb;
}

describe('RLP', () => {
  // Source: "Recursive-length prefix serialization" on ethereum.org.
  test.each<[string, RlpItem]>([
    ['83646f67', ascii('dog')],
    ['c88363617483646f67', [ascii('cat'), ascii('dog')]],
    ['80', hex('')],
    ['c0', []],
    ['00', hex('00')],
    ['0f', hex('0f')],
    ['820400', hex('0400')],
    ['c7c0c1c0c3c0c1c0', [[], [[]], [[], [[]]]]],
    [
      'b8384c6f72656d20697073756d20646f6c6f722073697420616d65742c20636f6e7365637465747572206164697069736963696e6720656c6974',
      ascii('Lorem ipsum dolor sit amet, consectetur adipisicing elit'),
    ],
  ])('encodes and decodes the published example %s', (encoded, item) => {
    expect(Buffer.from(encodeRlp(item)).toString('hex')).toBe(encoded);
    expect(decodeRlp('example', hex(encoded))).toEqual(item);
  });

  test('encoding and decoding agree with @ethereumjs/rlp for random values', () => {
    fc.assert(
      fc.property(arbitraryItem, (item) => {
        const encoded = encodeRlp(item);
        expect(encoded).toEqual(RLP.encode(item));
        expect(decodeRlp('value', encoded)).toEqual(item);
        if (!(item instanceof Uint8Array)) expect(encodeRlpList(item.map(encodeRlp))).toEqual(encoded);
      }),
    );
  });

  test.each([55, 56, 255, 256, 65_535, 65_536, 16_777_216])(
    'a string of %i bytes has the prefix of @ethereumjs/rlp',
    (length) => {
      const value = new Uint8Array(length).fill(0x99);
      for (const item of [value, [value]]) {
        expect(Buffer.compare(encodeRlp(item), RLP.encode(item))).toBe(0);
        expect(encodeRlp(decodeRlp('string', encodeRlp(item)))).toHaveLength(encodeRlp(item).length);
      }
    },
  );

  test('decoding accepts random bytes only if encoding restores them', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 70 }),
        fc.constantFrom(0x81, 0xb8, 0xc3, 0xf8, 0xfa),
        (bytes, first) => {
          const input = Uint8Array.of(first, ...bytes);
          let item: RlpItem;
          try {
            item = decodeRlp('value', input);
          } catch (error) {
            expect(error).toMatchObject({ code: 'DECODE_FAILED' });
            return;
          }
          expect(encodeRlp(item)).toEqual(input);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['', 'at byte 0: the bytes end where a value should begin'],
    ['8100', 'at byte 0: a single byte is not in its shortest form'],
    ['b801ff', 'a length is not in its shortest form'],
    ['b90038', 'a length is not in its shortest form'],
    ['b9ff', 'the bytes end within a length'],
    ['bfffffffffffffffff', 'longer than what holds it'],
    ['83646f', 'a value of 3 bytes is longer than what holds it'],
    ['c3820102ff', 'at byte 4: bytes follow the value'],
    ['c28301', 'at byte 1: a value of 3 bytes is longer than what holds it'],
  ])('decoding refuses %s: %s', (encoded, reason) => {
    expect(() => decodeRlp('thing', hex(encoded))).toThrow(
      expect.objectContaining({ code: 'DECODE_FAILED', message: expect.stringContaining(reason) }),
    );
  });

  test('decoding stops at the limits of nesting and of values', () => {
    expect(() => decodeRlp('bomb', nestedLists(10_000_000))).toThrow(`nested over ${rlpLimits.depthMax} levels deep`);
    const wide = encodeRlp(new Uint8Array(rlpLimits.itemsMax + 1).fill(1));
    wide[0] = (wide[0] ?? 0) + 0x40;
    expect(() => decodeRlp('bomb', wide)).toThrow(`more than ${rlpLimits.itemsMax} values`);
  });

  test.each<[value: unknown, got: string]>([
    ['dog', 'got string'],
    [5, 'got number'],
    [10n, 'got bigint'],
    [null, 'got null'],
    [undefined, 'got undefined'],
    [{ 0: 1 }, 'got an object (Object)'],
    [new ArrayBuffer(2), 'got an object (ArrayBuffer)'],
  ])('a value of another type is refused, also within a list: %p', (value, got) => {
    const refused = expect.objectContaining({ code: 'BYTES_INVALID', message: expect.stringContaining(got) });
    expect(() => encodeRlp(value as RlpItem)).toThrow(refused);
    expect(() => encodeRlp([Uint8Array.of(1), [value as RlpItem]])).toThrow(refused);
    expect(() => decodeRlp('thing', value as Uint8Array)).toThrow(refused);
  });

  test('decoding accepts bytes of another realm', () => {
    const foreign = runInNewContext('Uint8Array.of(0xc1, 0x01)') as Uint8Array;
    expect(decodeRlp('thing', foreign)).toEqual([expect.anything()]);
  });
});
