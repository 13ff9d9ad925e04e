import { expect, test } from '@jest/globals';
import { checksumAddress } from './checksum-address.ts';

// EIP-55, "Test Cases".
test.each([
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
] as const)('checksumAddress writes %s as EIP-55 does', (address) => {
  expect(checksumAddress(`0x${address.slice(2).toLowerCase()}`)).toBe(address);
});
