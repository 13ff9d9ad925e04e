import { expect, test } from '@jest/globals';
import { checkSettings } from './check-settings.ts';

const none = { IPFS_NS_MAP: undefined, IPFS_GATEWAY_TRUSTED_PROXIES: undefined };

test.each([
  ['IPFS_NS_MAP', 'a.example:/ipfs/zzz', 'zzz'],
  ['IPFS_GATEWAY_TRUSTED_PROXIES', '10.0.0.0/33', '10.0.0.0/33'],
  ['IPFS_GATEWAY_TRUSTED_PROXIES', '::1/129', '::1/129'],
  ['IPFS_GATEWAY_TRUSTED_PROXIES', '10.0.0', '10.0.0'],
])('%s=%s is refused with its name and value', (name, value, named) => {
  const check = () => checkSettings({ ...none, [name]: value });
  expect(check).toThrow(expect.objectContaining({ code: 'SETTINGS_INVALID' }));
  expect(check).toThrow(new RegExp(`${name}: .*${named}`));
});

test('names with a CID and ranges that exist are accepted', () => {
  const proxies = { IPFS_GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8,::1,fd00::/8' };
  expect(() => checkSettings({ IPFS_NS_MAP: 'a.example:/ipfs/bafkqaaa', ...proxies })).not.toThrow();
  expect(() => checkSettings(none)).not.toThrow();
});
