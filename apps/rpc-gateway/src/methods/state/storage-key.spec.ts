import { expect, test } from '@jest/globals';
import { decodeStorageKey } from './storage-key.ts';

// Forms that geth 1.17.5 accepts and refuses (internal/ethapi/api.go, decodeStorageKey).
test.each([
  ['0x1', '01', '0x1'],
  ['1', '01', '0x1'],
  ['0X0aB', 'ab', '0xab'],
  ['', '00', '0x0'],
  ['0x', '00', '0x0'],
  [`0x${'00'.repeat(31)}01`, '01', `0x${'00'.repeat(31)}01`],
  ['00'.repeat(32), '00', `0x${'00'.repeat(32)}`],
  [`0x${'0'.repeat(63)}`, '00', `0x${'00'.repeat(32)}`],
])('decodeStorageKey reads %j', (value, end, text) => {
  const key = decodeStorageKey(value);
  expect(Buffer.from(key.bytes).toString('hex')).toBe(end.padStart(64, '0'));
  expect(key.text).toBe(text);
});

test.each([
  ['zz', 'invalid hex in storage key: "zz". '],
  ['0x1 ', 'invalid hex in storage key: "0x1 ". '],
  [`0x${'0'.repeat(65)}`, 'storage key too long (want at most 32 bytes): "0x0'],
])('decodeStorageKey refuses %j', (value, message) => {
  expect(() => decodeStorageKey(value)).toThrow(
    expect.objectContaining({ rpcCode: -32602, message: expect.stringContaining(message) }),
  );
});
