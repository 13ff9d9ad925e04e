import { expect, test } from '@jest/globals';
import { addressesOf, banner } from './banner.ts';
import { table, time } from './print.ts';

test('columns are as wide as their widest cell', () => {
  expect(
    table([
      ['NAME', 'N'],
      ['a', '10'],
      ['longer', '2'],
    ]),
  ).toEqual(['NAME    N', 'a       10', 'longer  2']);
  expect(time(0)).toBe('1970-01-01 00:00:00');
});

const settings = {
  CAIRN_BIND: '0.0.0.0',
  STORAGE_API_PORT: 5001,
  RPC_GATEWAY_PORT: 8545,
  CONSOLE_PORT: 8080,
  tls: undefined,
} as Parameters<typeof banner>[0];

test('addresses are ones that work from this machine', () => {
  expect(addressesOf(settings)).toEqual({
    storage: 'http://127.0.0.1:5001',
    gateway: 'http://127.0.0.1:8545',
    console: 'http://127.0.0.1:8080',
  });
  expect(addressesOf({ ...settings, CAIRN_BIND: '::1', tls: { cert: '', key: '' } }).gateway).toBe(
    'https://[::1]:8545',
  );
});

test('a secret that is not known is not made up', () => {
  const lines = banner(settings, {
    key: { id: 'ck_x', secret: undefined },
    operator: { email: 'o@x', password: undefined },
  }).join('\n');
  expect(lines).toContain('ck_x:<SECRET>');
  expect(lines).toContain('cairn key rotate ck_x');
  expect(lines).toContain('cairn member password o@x');
});
