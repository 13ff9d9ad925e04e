import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { crc32c, maskedCrc32c } from './crc32c.ts';

// Vectors of RFC 3720, appendix B.4, and the check value of the CRC catalogue.
test.each([
  ['the digits', Buffer.from('123456789'), 0xe3069283],
  ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['32 ascending', Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
  ['nothing', Buffer.alloc(0), 0],
])('crc32c returns the published checksum of %s', (_name, bytes, expected) => {
  expect(crc32c(bytes)).toBe(expected);
});

test('maskedCrc32c is reverted by the formula of the framing format', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const rotated = (maskedCrc32c(bytes) - 0xa282ead8) >>> 0;
      expect(((rotated >>> 17) | (rotated << 15)) >>> 0).toBe(crc32c(bytes));
    }),
  );
});
