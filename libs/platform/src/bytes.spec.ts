import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as nodeModule from './bytes-node.ts';
import * as portableModule from './bytes-portable.ts';

const node = { ...nodeModule };
const portable = { ...portableModule };

const plain = (value: unknown) => (value instanceof Uint8Array ? [...value] : value);
const bytes = fc.uint8Array({ maxLength: 300 });
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\ud83d', '\ude80', 'a', 'é', '€', '\ufeff') }),
);

describe('each portable function returns the result of its Node twin', () => {
  for (const name of [
    'hexDigitsFromBytes',
    'textFromUtf8',
    'latin1FromBytes',
    'base64FromBytes',
    'base64UrlFromBytes',
    'isUtf8',
  ] as const)
    test(name, () => {
      fc.assert(fc.property(bytes, (given) => expect(portable[name](given)).toEqual(node[name](given))));
      fc.assert(
        fc.property(text, (given) => {
          const encoded = Buffer.from(given);
          expect(portable[name](encoded)).toEqual(node[name](encoded));
        }),
      );
    });

  for (const name of ['utf8FromText', 'utf8Length', 'bytesFromLatin1'] as const)
    test(name, () => {
      fc.assert(fc.property(text, (given) => expect(plain(portable[name](given))).toEqual(plain(node[name](given)))));
    });

  test('bytesFromHexDigits, for valid and invalid digits', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFg'), maxLength: 40 });
    fc.assert(
      fc.property(digits, (given) => {
        expect(plain(portable.bytesFromHexDigits(given))).toEqual(plain(node.bytesFromHexDigits(given)));
      }),
    );
  });

  test('bytesFromBase64, for either alphabet, with and without padding', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        for (const encoding of ['base64', 'base64url'] as const)
          expect([...portable.bytesFromBase64(Buffer.from(given).toString(encoding))]).toEqual([...given]);
      }),
    );
    const digits = fc.string({ unit: fc.constantFrom(...'AZaz09+/-_'), maxLength: 30 });
    fc.assert(
      fc.property(digits, (given) => {
        expect([...portable.bytesFromBase64(given)]).toEqual([...node.bytesFromBase64(given)]);
      }),
    );
  });

  test('copyBytes returns new memory, also for a Buffer', () => {
    for (const { copyBytes } of [node, portable]) {
      const original = Buffer.from('abc');
      const copy = copyBytes(original);
      original.fill(0);
      expect([...copy]).toEqual([97, 98, 99]);
    }
  });

  test('compareBytes and concatBytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ max: 3, maxLength: 4 }), { minLength: 2 }), (parts) => {
        const [a = new Uint8Array(), b = new Uint8Array()] = parts;
        expect(portable.compareBytes(a, b)).toBe(node.compareBytes(a, b));
        expect([...portable.concatBytes(parts)]).toEqual([...node.concatBytes(parts)]);
      }),
    );
  });

  test('latin1FromBytes, for more bytes than the arguments of one call', () => {
    const many = new Uint8Array(1_000_000).fill(0xe9);
    expect(portable.latin1FromBytes(many) === node.latin1FromBytes(many)).toBe(true);
  });

  test('hexDigitsFromBytes of a view reads only its part of the buffer', () => {
    const view = Uint8Array.of(1, 2, 3, 4, 5).subarray(1, 3);
    expect(node.hexDigitsFromBytes(view)).toBe('0203');
    expect(portable.hexDigitsFromBytes(view)).toBe('0203');
  });

  test('allocateBytes returns bytes of the requested length', () => {
    expect(node.allocateBytes(7)).toHaveLength(7);
    expect(portable.allocateBytes(7)).toHaveLength(7);
  });
});
