import { describe, expect, test } from '@jest/globals';
import {
  auth,
  type Customer,
  customer,
  declarePlan,
  gateways,
  kubo,
  readUntil,
  request,
  rpc,
  storages,
} from './limited-services.ts';

const plan = declarePlan('gone');

describe('revocation', () => {
  test.each([
    ['a revoked key', ({ id }: Customer) => auth.revokeKey(id), 401, 401],
    ['a suspended account', ({ account }: Customer) => auth.setStatus(account, 'suspended'), 403, 403],
    ['a removed card', ({ account }: Customer) => auth.removeCard(account), 200, 402],
  ] as const)('%s counts soon in every process', async (_, change, rpcStatus, storageStatus) => {
    const key = await customer(plan);
    const statuses = async () =>
      await Promise.all([
        ...gateways.map(async (gateway) => (await rpc(gateway, key, request())).status),
        ...storages.map(async () => (await kubo(key, 'version')).status),
      ]);
    expect(new Set(await statuses())).toEqual(new Set([200]));
    await change(key);
    const expected = [...gateways.map(() => rpcStatus), ...storages.map(() => storageStatus)];
    expect(await readUntil(statuses, (read) => String(read) === String(expected), 15_000)).toEqual(expected);
  });
});
