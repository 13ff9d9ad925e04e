import { expect, test } from '@jest/globals';
import { AddressLimits, networkOf } from './address-limits.ts';

const limited = expect.objectContaining({ code: 'ADDRESS_LIMITED' });
let now = 0;
const create = (options: Partial<ConstructorParameters<typeof AddressLimits>[0]>) =>
  new AddressLimits({
    requestsPerSecond: 0,
    bytesPerSecond: 0,
    concurrentMax: 0,
    totalMax: 0,
    now: () => now,
    ...options,
  });

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the network of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));

test('a client gets a burst of ten seconds, and then its rate', () => {
  const limits = create({ requestsPerSecond: 2 });
  for (let n = 0; n < 20; n++) limits.admit('192.0.2.1').end();
  expect(() => limits.admit('192.0.2.1')).toThrow(limited);
  limits.admit('192.0.2.2').end();
  now += 500;
  limits.admit('192.0.2.1').end();
  expect(() => limits.admit('192.0.2.1')).toThrow(limited);
});

test('bytes are counted as they are sent, and Retry-After covers the debt', () => {
  const limits = create({ bytesPerSecond: 100 });
  const request = limits.admit('2001:db8::1');
  request.sent(1500);
  request.end();
  let error: unknown;
  try {
    limits.admit('2001:db8::2');
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'ADDRESS_LIMITED', details: { retryAfterSeconds: 6 } });
  now += 6000;
  limits.admit('2001:db8::2').end();
});

test('concurrent requests are limited for each client and for all, and an end counts once', () => {
  const limits = create({ concurrentMax: 2, totalMax: 3 });
  const open = [limits.admit('192.0.2.1'), limits.admit('192.0.2.1')];
  expect(() => limits.admit('192.0.2.1')).toThrow(limited);
  open.push(limits.admit('192.0.2.2'));
  expect(() => limits.admit('192.0.2.3')).toThrow(limited);
  open[0]?.end();
  open[0]?.end();
  limits.admit('192.0.2.1');
  expect(() => limits.admit('192.0.2.3')).toThrow(limited);
});

test('loopback addresses have no limit of their own', () => {
  const limits = create({ requestsPerSecond: 1, concurrentMax: 1 });
  for (let n = 0; n < 100; n++) limits.admit('127.0.0.1');
  expect(limits.size).toBe(0);
});

test('a flood of addresses does not grow the table, and keeps clients in use', () => {
  const limits = create({ requestsPerSecond: 1 });
  for (let n = 0; n < 10; n++) limits.admit('192.0.2.1').end();
  for (let n = 0; n < 100_000; n++) {
    limits.admit(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`).end();
    if (n % 1000 === 0) expect(() => limits.admit('192.0.2.1')).toThrow(limited);
  }
  expect(limits.size).toBe(20_000);
});
