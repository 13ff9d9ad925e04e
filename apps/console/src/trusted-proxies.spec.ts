import { expect, test } from '@jest/globals';
import { checkProxies } from './trusted-proxies.ts';

test.each(['10.0.0.0/33', '::1/129', '10.0.0'])('a range of proxies that does not exist is refused: %s', (proxies) => {
  expect(() => checkProxies({ CONSOLE_TRUSTED_PROXIES: proxies })).toThrow(
    expect.objectContaining({ code: 'SETTINGS_INVALID', message: expect.stringContaining('CONSOLE_TRUSTED_PROXIES') }),
  );
});

test('addresses and ranges of both versions are accepted', () => {
  checkProxies({ CONSOLE_TRUSTED_PROXIES: '10.0.0.0/8,::1,fd00::/8' });
  checkProxies({ CONSOLE_TRUSTED_PROXIES: undefined });
});
