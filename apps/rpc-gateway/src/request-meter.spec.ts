import type { Principal } from '@cairn/auth';
import type { AccountLimits, Metering } from '@cairn/metering';
import { expect, test } from '@jest/globals';
import { RequestMeter } from './request-meter.ts';

test('a client that goes away while it waits for a place leaves none taken', async () => {
  let places = 0;
  let grant = () => {};
  const limits = {
    enter: () =>
      new Promise<void>((resolve) => {
        grant = () => {
          places++;
          resolve();
        };
      }),
    leave: () => {
      places--;
    },
    requireBytes: () => undefined,
    admit: () => undefined,
  } as unknown as AccountLimits;
  const ledger = { record: () => {}, addUse: () => {} };
  const metering = { payment: () => ({ limits, accountId: 'a' }), ledger } as unknown as Metering;
  const principal = { account: { id: 'a' }, key: { reference: 'k' } } as Principal;
  const meter = new RequestMeter(metering, principal, 'main');
  const entering = meter.enter();
  meter.end({ bytesIn: 0, bytesOut: 0, status: 499 });
  grant();
  await expect(entering).rejects.toThrow('has ended');
  expect(places).toBe(0);
});

test('a longer body needs room before it is read; a short one is asked for its requests only', () => {
  const asked: number[] = [];
  const limits = { requireRequest: (credits: number) => void asked.push(credits) } as unknown as AccountLimits;
  const metering = { payment: () => ({ limits, accountId: 'a' }), ledger: {} } as unknown as Metering;
  const principal = { account: { id: 'a' }, key: { reference: 'k' } } as Principal;
  const meter = new RequestMeter(metering, principal, 'main');
  for (const bytes of [0, 4096, 4097, 4_700_000]) meter.requireRoom(bytes);
  expect(asked).toEqual([1, 45]);
});
