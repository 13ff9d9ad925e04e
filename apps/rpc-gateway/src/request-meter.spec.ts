import type { Principal } from '@cairn/auth';
import type { AccountLimits, Metering } from '@cairn/metering';
import { expect, test } from '@jest/globals';
import { RequestMeter } from './request-meter.ts';

test('enter releases the permit of a client that disconnected while it waited', async () => {
  let permits = 0;
  let grant = () => {};
  const limits = {
    enter: () =>
      new Promise<void>((resolve) => {
        grant = () => {
          permits++;
          resolve();
        };
      }),
    leave: () => {
      permits--;
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
  expect(permits).toBe(0);
});

test('requireRoom checks the credits of bodies above 4096 bytes only', () => {
  const checked: number[] = [];
  const limits = { requireRequest: (credits: number) => void checked.push(credits) } as unknown as AccountLimits;
  const metering = { payment: () => ({ limits, accountId: 'a' }), ledger: {} } as unknown as Metering;
  const principal = { account: { id: 'a' }, key: { reference: 'k' } } as Principal;
  const meter = new RequestMeter(metering, principal, 'main');
  for (const bytes of [0, 4096, 4097, 4_700_000]) meter.requireRoom(bytes);
  expect(checked).toEqual([1, 45]);
});

test('a call to an upstream is charged when it is sent, and recorded once with its method', () => {
  const charged: number[] = [];
  const recorded: unknown[] = [];
  const limits = { charge: (credits: number) => void charged.push(credits) } as unknown as AccountLimits;
  const ledger = { addUse: (_: unknown, use: unknown) => void recorded.push(use) };
  const metering = { payment: () => ({ limits, accountId: 'a' }), ledger } as unknown as Metering;
  const principal = { account: { id: 'a' }, key: { reference: 'k' } } as Principal;
  const meter = new RequestMeter(metering, principal, 'main');
  for (let call = 0; call < 3; call++) meter.chargeUpstreamCall();
  meter.recordUpstreamCalls('eth_getLogs', 3);
  meter.recordUpstreamCalls('eth_chainId', 0);
  expect([charged, meter.credits]).toEqual([[1, 1, 1], 3]);
  expect(recorded).toEqual([{ operation: 'eth_getLogs', network: 'main', credits: 3 }]);
});
