import { describe, expect, test } from '@jest/globals';
import { isTrustedHost, trustedHosts } from './host-check.ts';

describe('isTrustedHost', () => {
  const names = trustedHosts({
    CAIRN_HOSTS: 'A.example,b.example',
    CAIRN_PUBLIC_CONSOLE_URL: 'https://console.example:8443/x',
  });

  test.each([
    undefined,
    'localhost',
    'localhost:8080',
    'mainnet.localhost:8545',
    '127.0.0.1:8080',
    '10.1.2.3',
    '[::1]:8080',
    '[fd00::1]',
    'cairn-console:8080',
    'a.example',
    'B.EXAMPLE:443',
    'console.example',
  ])('trusts %s', (host) => {
    expect(isTrustedHost(host, names)).toBe(true);
  });

  test.each([
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'a.example.evil.example',
    'a.example.',
  ])('refuses %s', (host) => {
    expect(isTrustedHost(host, names)).toBe(false);
  });
});
