import { expect, test } from '@jest/globals';
import { hostOf } from './host-of.ts';

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::2:3:4:5:6', '2001:db8:0:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('the host of %s is %s', (ip, host) => {
  expect(hostOf(ip)).toBe(host);
});
