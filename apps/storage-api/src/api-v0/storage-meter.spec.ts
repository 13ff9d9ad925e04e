import type { Socket } from 'node:net';
import type { Principal } from '@cairn/auth';
import type { AccountLimits, Metering } from '@cairn/metering';
import { expect, test } from '@jest/globals';
import type { Command } from './command.ts';
import { StorageMeter } from './storage-meter.ts';

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
    chargeBytes: () => {},
  } as unknown as AccountLimits;
  const ledger = { record: () => {}, addUse: () => {} };
  const metering = { limiter: { of: () => limits }, ledger } as unknown as Metering;
  const principal = { account: { id: 'a' }, key: { reference: 'k' } } as Principal;
  const socket = { bytesRead: 0, bytesWritten: 0 } as Socket;
  const meter = new StorageMeter(metering, principal, { name: 'add', scope: 'add' } as Command, socket);
  const admitting = meter.admit();
  meter.end({ isFailed: true, failure: undefined });
  grant();
  await expect(admitting).rejects.toMatchObject({ status: 499 });
  expect(places).toBe(0);
});
