import { expect, test } from '@jest/globals';
import { hexDump } from './hex-dump.ts';

test('hexDump prints rows of 16 bytes as Go does', () => {
  const bytes = Buffer.from('0123456789abcdef\n~');
  expect(hexDump(bytes)).toBe(
    '00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n' +
      '00000010  0a 7e                                             |.~|\n',
  );
  expect(hexDump(new Uint8Array())).toBe('');
});
