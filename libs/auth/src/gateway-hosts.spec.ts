import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Environment } from '@cairn/embedded-store';
import { afterAll, expect, test } from '@jest/globals';
import { accountsFormat } from './accounts-format.ts';
import { openLmdbGatewayHostStore } from './gateway-hosts.ts';
import { describeGatewayHostStore } from './testing/index.ts';

const home = mkdtempSync(join(tmpdir(), 'cairn-hosts-'));
let stores = 0;
afterAll(() => rmSync(home, { recursive: true }));

describeGatewayHostStore('LmdbGatewayHostStore', async () => {
  const directory = join(home, `${stores++}`);
  return () => openLmdbGatewayHostStore({ directory });
});

test('a host that can no longer be added can be removed', async () => {
  const directory = join(home, `${stores++}`);
  const environment = await Environment.open({ directory, format: accountsFormat });
  const entry = { host: 'localhost', accountId: 'acct_1', createdAt: 1 };
  const hosts = environment.database('gateway-hosts');
  await environment.transaction(() => hosts.put(Buffer.from(entry.host), Buffer.from(JSON.stringify(entry))));
  await environment.close();
  const store = await openLmdbGatewayHostStore({ directory });
  await store.remove('localhost');
  expect(await store.list()).toEqual([]);
  await store.close();
});
