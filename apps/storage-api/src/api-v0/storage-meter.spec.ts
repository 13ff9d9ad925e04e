import type { Socket } from 'node:net';
import type { Principal } from '@cairn/auth';
import type { AccountLimits, Metering } from '@cairn/metering';
import { expect, test } from '@jest/globals';
import type { Command } from './command.ts';
import { StorageMeter } from './storage-meter.ts';

test('a client that disconnects while it waits for a permit takes none', async () => {
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
  const metering = { payment: () => ({ limits, accountId: 'a' }), ledger } as unknown as Metering;
  const principal = { account: { id: 'a' }, key: { reference: 'k' } } as Principal;
  const socket = { bytesRead: 0, bytesWritten: 0 } as Socket;
  const meter = new StorageMeter(metering, principal, { name: 'add', scope: 'add' } as Command, socket);
  const admitting = meter.admit();
  meter.end({ isFailed: true, failure: undefined });
  grant();
  await expect(admitting).rejects.toMatchObject({ status: 499 });
  expect(places).toBe(0);
});

/** A meter whose limits count credits; none are left beyond `allowed`. */
function meterOf(allowed: number) {
  let charged = 0;
  const limits = {
    enter: () => undefined,
    leave: () => {},
    admit: () => undefined,
    requireBytes: () => undefined,
    requireCredits: () => (charged > allowed ? Promise.reject(new Error('no credits')) : undefined),
    charge: (credits: number) => {
      charged += credits;
    },
    chargeBytes: () => {},
  } as unknown as AccountLimits;
  const ledger = { record: () => {}, addUse: () => {} };
  const metering = { payment: () => ({ limits, accountId: 'a' }), ledger } as unknown as Metering;
  const principal = { account: { id: 'a' }, key: { reference: 'k' } } as Principal;
  const socket = { bytesRead: 0, bytesWritten: 0 };
  const command = { name: 'dag/stat', scope: 'read' } as Command;
  const meter = new StorageMeter(metering, principal, command, socket as Socket);
  return { meter, socket, end: () => meter.end({ isFailed: false, failure: undefined }) };
}

test('work beyond the bytes of a transfer costs credits, and blocks count as at least 16 KiB', async () => {
  const small = meterOf(1000);
  await small.meter.admit();
  small.meter.work.visits(63);
  small.end();
  expect(small.meter.credits).toBe(1);
  const large = meterOf(1000);
  await large.meter.admit();
  large.meter.work.blocks(Array(640).fill(1));
  large.meter.work.blocks([2 * 1024 * 1024]);
  large.end();
  expect(large.meter.credits).toBe(1 + 10 + 2);
});

test('a transfer pays for the work that it causes', async () => {
  const { meter, socket, end } = meterOf(1000);
  await meter.admit();
  meter.work.blocks(Array(40).fill(256 * 1024));
  socket.bytesWritten = 10 * 1024 * 1024 + 500;
  end();
  expect(meter.credits).toBe(1 + 10);
});

test('a running request is aborted when its credits are used up', async () => {
  const { meter, end } = meterOf(50);
  await meter.admit();
  const ended = new Promise((resolve) => meter.watch(resolve));
  meter.work.visits(64 * 200);
  expect(await ended).toMatchObject({ message: 'no credits' });
  end();
  expect(meter.credits).toBe(1 + 200);
});
