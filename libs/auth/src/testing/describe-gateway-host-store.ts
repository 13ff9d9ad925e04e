import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type GatewayHost, type GatewayHostStore, gatewayHostsMax } from '../gateway-hosts.ts';

const assigned = (host: string, accountId = 'acct_1'): GatewayHost => ({
  host,
  accountId,
  createdAt: 1_700_000_000_000,
});

/**
 * Contract suite of every {@link GatewayHostStore}.
 *
 * @param create creates an empty store and returns a function that opens a handle on it. Each handle stands for one process.
 */
export function describeGatewayHostStore(name: string, create: () => Promise<() => Promise<GatewayHostStore>>): void {
  describe(`${name} as a GatewayHostStore`, () => {
    let store: GatewayHostStore;
    let other: GatewayHostStore;
    beforeEach(async () => {
      const open = await create();
      [store, other] = [await open(), await open()];
    });
    afterEach(async () => {
      await store.close();
      await other.close();
    });

    test('put assigns a normalized host, which other processes list by name', async () => {
      expect(await store.list()).toEqual([]);
      await store.put(assigned('Files.Example.'));
      await store.put(assigned('a.example', 'acct_2'));
      expect(await other.list()).toEqual([assigned('a.example', 'acct_2'), assigned('files.example')]);
    });

    test('put replaces the host of the same account only', async () => {
      await store.put(assigned('files.example'));
      await other.put({ ...assigned('files.example'), createdAt: 5 });
      expect(await store.list()).toEqual([{ ...assigned('files.example'), createdAt: 5 }]);
      await expect(other.put(assigned('FILES.example', 'acct_2'))).rejects.toMatchObject({
        code: 'GATEWAY_HOST_EXISTS',
      });
      expect((await store.list()).map(({ accountId }) => accountId)).toEqual(['acct_1']);
    });

    test('put of concurrent processes assigns a host to one account', async () => {
      const puts = [store, other, store, other].map((each, at) => each.put(assigned('files.example', `acct_${at}`)));
      const outcomes = await Promise.allSettled(puts);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store.list()).toHaveLength(1);
    });

    test('put refuses a text that is not a host name, and a host beyond the limit', async () => {
      for (const host of ['', '10.0.0.1', 'a b', 'x.ipfs.example', 'files.example:80', 'a\0b'])
        await expect(store.put(assigned(host))).rejects.toMatchObject({ code: 'VALUE_INVALID' });
      for (let at = 0; at < gatewayHostsMax; at += 50)
        await Promise.all(Array.from({ length: 50 }, (_, each) => store.put(assigned(`h${at + each}.example`))));
      await expect(other.put(assigned('more.example'))).rejects.toMatchObject({ code: 'VALUE_INVALID' });
      await other.put(assigned('h7.example'));
      expect(await store.list()).toHaveLength(gatewayHostsMax);
    });

    test('remove ends an assignment once', async () => {
      await store.put(assigned('files.example'));
      await other.remove('FILES.example');
      await expect(store.remove('files.example')).rejects.toMatchObject({ code: 'GATEWAY_HOST_NOT_FOUND' });
      await store.put(assigned('files.example', 'acct_2'));
      expect(await other.list()).toEqual([assigned('files.example', 'acct_2')]);
    });
  });
}
