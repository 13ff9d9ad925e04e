import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodeMultibase, encodeMultibase, findMultibase, multibaseOf, multibases } from './multibase.ts';

const named = (name: string) => {
  const base = findMultibase(name);
  if (base === undefined) throw new Error(`No multibase ${name}.`);
  return base;
};
const decode = (text: string) => Buffer.from(decodeMultibase(Buffer.from(text)).bytes).toString('hex');

test('every multibase decodes its own output', () => {
  fc.assert(
    fc.property(fc.constantFrom(...multibases), fc.uint8Array({ maxLength: 100, minLength: 1 }), (base, bytes) => {
      const text = encodeMultibase(base, bytes);
      expect(multibaseOf(text.toString())?.name).toBe(base.name);
      const decoded = decodeMultibase(text);
      expect(Buffer.from(decoded.bytes).equals(bytes)).toBe(true);
      expect(decoded.base).toBe(base);
    }),
  );
});

test.each([
  ['base2', '00110100001100101011011000110110001101111'],
  ['base16', 'f68656c6c6f'],
  ['base32', 'bnbswy3dp'],
  ['base36upper', 'K5PZCSZU7'],
  ['base58btc', 'zCn8eVZg'],
  ['base64', 'maGVsbG8'],
  ['base64url', 'uaGVsbG8'],
  ['base64pad', 'MaGVsbG8='],
  ['identity', '\0hello'],
])('%s encodes hello as Kubo does', (name, text) => {
  expect(encodeMultibase(named(name), Buffer.from('hello')).toString()).toBe(text);
});

test('findMultibase finds a multibase by name and by prefix', () => {
  expect(findMultibase('z')?.name).toBe('base58btc');
  expect(findMultibase('🚀')?.name).toBe('base256emoji');
  for (const name of ['', 'base8', 'base10', 'base32z', 'BASE16', '7', 'zz'])
    expect(findMultibase(name)).toBeUndefined();
});

// Expected values are answers of Kubo 0.42.
describe('decodeMultibase', () => {
  test.each([
    ['fA0b1', 'a0b1'],
    ['F6a', '6a'],
    ['0101', '05'],
    ['BnBsW', '6865'],
    ['bnbswy3dpa', '68656c6c6f'],
    ['mYW\nJj\r\n', '616263'],
    ['mYX', '61'],
    ['c5j4z5ea==\r', 'ea799e90'],
    ['tmp866a2g0029og03k02jg====', 'b65063285000049c4003a00538'],
    ['TOT2G0G0=_I', 'c7450040'],
    ['K5PZCSZU7', '68656c6c6f'],
    ['k0000', '00000000'],
    ['z11', '0000'],
  ])('reads %j', (text, hex) => {
    expect(decode(text)).toBe(hex);
  });

  test.each([
    ['', 'cannot decode multibase for zero length string'],
    ['%bad', 'selected encoding not supported'],
    ['7123', 'selected encoding not supported'],
    ['foo', "encoding/hex: invalid byte: U+006F 'o'"],
    ['f0\n', 'encoding/hex: invalid byte: U+000A'],
    ['f123', 'encoding/hex: odd length hex string'],
    ['0012', 'error while conversion: strconv.ParseInt: parsing "00000012": invalid syntax'],
    ['bab1', 'illegal base32 data at input byte 2'],
    ['c3t7qlAa2yauuaaeac5l2jwaaa=', 'illegal base32 data at input byte 25'],
    ['mYWJj=', 'illegal base64 data at input byte 4'],
    ['mYWJjY', 'illegal base64 data at input byte 4'],
    ['MYWI', 'illegal base64 data at input byte 0'],
    ['MYQ=', 'illegal base64 data at input byte 3'],
    ['MYQ==x', 'illegal base64 data at input byte 4'],
    ['MYQ= =', 'illegal base64 data at input byte 2'],
    ['k', 'can not decode zero-length string'],
    ['k!', "invalid base36 character ('!')"],
    ['z', 'zero length string'],
    ['z0', "invalid base58 digit ('0')"],
    ['zé', 'high-bit set on invalid digit'],
    ['🚀a', "illegal base256emoji data at input byte 0, char: 'a'"],
  ])('refuses %j', (text, message) => {
    expect(() => decode(text)).toThrow(expect.objectContaining({ code: 'MULTIBASE_INVALID', message }));
  });

  test('limits the length of input of one call', () => {
    expect(() => decode(`z${'2'.repeat(10_000)}`)).toThrow(/base58btc takes \d+ bytes at most/);
    expect(() => encodeMultibase(named('base36'), new Uint8Array(5000))).toThrow(/base36 takes 4096 bytes at most/);
  });
});
