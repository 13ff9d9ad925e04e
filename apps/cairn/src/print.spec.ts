import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import { addressOf, banner } from './banner.ts';
import { table, time } from './print.ts';

test('columns are as wide as their widest cell', () => {
  const lines = table([
    ['NAME', 'N'],
    ['a', '10'],
    ['longer', '2'],
  ]);
  // Headings are bold where colours are forced, as Nx does.
  expect(lines.map((line) => stripVTControlCharacters(line))).toEqual(['NAME    N', 'a       10', 'longer  2']);
  expect(time(0)).toBe('1970-01-01 00:00:00');
});

const settings = {
  CAIRN_BIND: '0.0.0.0',
  tls: undefined,
} as Parameters<typeof banner>[0];

test('addresses are reachable from this machine', () => {
  expect(addressOf(settings, 5001)).toBe('http://127.0.0.1:5001');
  expect(addressOf({ ...settings, CAIRN_BIND: '::1', tls: { cert: '', key: '' } }, 8545)).toBe('https://[::1]:8545');
});

test('the banner names the command for a new secret when the secret is unknown', () => {
  const addresses = { storage: 'http://s', gateway: 'http://g', ipfs: 'http://i', console: 'http://c' };
  const demo = { key: { id: 'ck_x', secret: undefined }, operator: { email: 'o@x', password: undefined } };
  const lines = banner(settings, addresses, demo).join('\n');
  expect(lines).toContain('ck_x:<SECRET>');
  expect(lines).toContain('npm run cairn -- key rotate ck_x');
  expect(lines).toContain('npm run cairn -- member password o@x');
});

test('the banner of a network of the operator has requests without placeholders', () => {
  const addresses = { storage: 'http://s', gateway: 'http://g', ipfs: 'http://i', console: 'http://c' };
  const demo = { key: { id: 'ck_x', secret: 'cs_x' }, operator: { email: 'o@x', password: undefined } };
  const lines = banner({ ...settings, CAIRN_NETWORKS: 'networks.json' }, addresses, demo).join('\n');
  expect(lines).toContain('"method":"eth_getBlockByNumber","params":["latest",false]');
  expect(lines).toContain('"method":"eth_getBalance"');
  expect(lines).not.toMatch(/<[A-Z ]+>/);
});
