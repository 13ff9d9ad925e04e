import { join } from 'node:path';
import { type AccountStore, keepSecret, openSecrets } from '@cairn/auth';
import { cidFor } from '@cairn/cid';
import { generateIpnsKey, publishName } from '@cairn/ipns';
import { openPeerIdentity, peerIdentitySecret } from '@cairn/peer-api/identity';
import { openStores, type Stores } from '@cairn/stores';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { Cairn, outcomeOf } from './cairn.ts';

const cairn = new Cairn();
afterAll(() => cairn.remove());

const cidOf = (text: string) => cidFor(new TextEncoder().encode(text), { codec: 'raw' });
const zeros = { errors: 0, limited: 0, credits: 5, bytesIn: 0, bytesOut: 0, gas: 0, durationUs: 0 };

describeWithPostgres('cairn migrate-stores', (server) => {
  let url: string;
  let home: Stores;
  let ids: readonly string[];
  beforeAll(async () => {
    url = await server().createDatabase();
    for (const name of ['acme', 'other']) await cairn.json('account', 'create', name);
    await cairn.json('key', 'create', 'acme');
    await cairn.json('gateway', 'host', 'add', 'files.example', 'acme').catch(() => undefined);
    home = openStores({ CAIRN_HOME: cairn.home });
    ids = await fill(home, cairn.home);
  });

  const migrate = (...args: readonly string[]) =>
    outcomeOf(cairn.spawn(['migrate-stores', ...args], { CAIRN_DATABASE_URL: url }));

  test('refuses a password in its arguments', async () => {
    const { code, stderr } = await migrate('--to', 'postgres://cairn:hidden@db.example/cairn');
    expect([code, stderr]).toEqual([2, expect.stringContaining('has a password')]);
    expect(stderr).not.toContain('hidden');
  });

  test('resumes after kill -9, and ends with equal sides', async () => {
    const killed = cairn.spawn(['migrate-stores'], { CAIRN_DATABASE_URL: url });
    killed.stdout?.on('data', (line: Buffer) => {
      if (line.toString().includes('copying names')) killed.kill('SIGKILL');
    });
    await outcomeOf(killed);
    const { code, stdout, stderr } = await migrate('--json');
    expect([code, stderr]).toEqual([0, '']);
    const report = JSON.parse(stdout) as { copied: object; resumedAfter: readonly string[]; problems: unknown };
    expect(report.resumedAfter).toContain('accounts');
    expect(report).toMatchObject({ problems: [], copied: { pins: { pins: 1200 }, 'file trees': { trees: 1 } } });
    expect(report.copied).not.toHaveProperty('accounts');
  });

  test('the database has the accounts, content, names, usage and identity of the home', async () => {
    const target = openStores({ CAIRN_HOME: '/nowhere', CAIRN_DATABASE_URL: url });
    const [acme = ''] = ids;
    const pins = await target.pins();
    expect(await pins.usage(acme)).toEqual({ pins: 1200, blocks: 2400, bytes: 12_000 });
    await pins.assertConsistent();
    const files = await target.files();
    expect(String((await files.get(acme))?.cid)).toBe(String(cidOf('tree')));
    const names = await target.names();
    const [key] = await names.keys.list(acme);
    expect(key && (await names.records.sequenceOf(acme, key.name))).toBe(1n);
    await names.assertConsistent();
    const usage = await target.usage();
    const days: number[] = [];
    for await (const row of usage.rows(acme, { from: 0, to: Date.now() + 1 }, 'day')) days.push(row.requests);
    expect(days).toEqual([7]);
    expect(await usage.lastUsed(acme)).toEqual(new Map([['k1', 1_700_000_000_000]]));
    const accounts = await target.accounts();
    expect(await identityOf(accounts)).toBe((await openPeerIdentity({ home: cairn.home })).id);
    for (const store of [pins, files, names, usage, accounts]) await store.close();
  });

  test('does not overwrite a finished migration, nor a database with accounts', async () => {
    expect((await migrate()).stderr).toContain('The source was already copied to this target.');
    url = await server().createDatabase();
    await outcomeOf(cairn.spawn(['account', 'create', 'stranger'], { CAIRN_DATABASE_URL: url }));
    expect((await migrate()).stderr).toContain('The target has accounts that no migration of this source has copied.');
  });
});

async function identityOf(accounts: AccountStore): Promise<string> {
  const { secrets } = await openSecrets(accounts, {
    home: '/nowhere',
    keyFile: join(cairn.home, 'secrets.key'),
    isShared: true,
  });
  const keep = (create: () => string) => keepSecret(accounts, secrets, { name: peerIdentitySecret, create });
  return (await openPeerIdentity({ keep })).id;
}

/** Stores content of each kind. Returns the ids of the accounts. */
async function fill(stores: Stores, directory: string): Promise<readonly string[]> {
  const accounts = await stores.accounts();
  const acme = await accounts.accountByName('acme');
  const other = await accounts.accountByName('other');
  await openSecrets(accounts, { home: directory });
  await openPeerIdentity({ home: directory });
  await accounts.close();
  const [id, otherId] = [acme?.id ?? '', other?.id ?? ''];
  const pins = await stores.pins();
  const pin = (at: number) => ({
    cid: cidOf(`pin ${at}`),
    mode: 'recursive' as const,
    name: at % 2 === 0 ? `name ${at}` : undefined,
    createdAt: 1_700_000_000_000 + at,
    size: { blocks: 2, bytes: 10 },
  });
  await pins.put(
    id,
    Array.from({ length: 1200 }, (_, at) => pin(at)),
  );
  await pins.close();
  const files = await stores.files();
  await files.swap(id, undefined, { cid: cidOf('tree'), bytes: 9 });
  await files.close();
  const names = await stores.names();
  const key = await generateIpnsKey({ type: 'ed25519' });
  await names.keys.add(id, { label: 'site', name: key.name, type: key.type, sealed: 's1.x.y' });
  for (const value of ['/ipfs/a', '/ipfs/b'])
    await publishName(names.records, { account: id, key, value, lifetimeMs: 3_600_000, ttlNs: 0n });
  await names.close();
  const usage = await stores.usage();
  const subject = { key: 'k1', service: 'storage-api', operation: 'add', network: '', ...zeros };
  const latency = Array.from({ length: 16 }, () => 0);
  await usage.add(
    [{ ...subject, accountId: id, at: 1_700_000_000_000, requests: 7, latency }],
    [{ accountId: id, key: 'k1', at: 1_700_000_000_000 }],
    [{ accountId: id, at: 1_700_000_000_000, bytes: 12_000 }],
  );
  await usage.close();
  const billing = await stores.billing();
  await billing.update(otherId, () => ({ accountId: otherId, customerId: 'cus_1', changedAt: 5 }));
  await billing.close();
  return [id, otherId];
}
