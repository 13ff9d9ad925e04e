import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Cairn, outcomeOf } from './cairn.ts';

const cairn = new Cairn();
afterAll(() => cairn.remove());

interface Key {
  readonly id: string;
  readonly secret: string;
}

describe('accounts, cards and keys', () => {
  test('are created, shown and changed, and a running process sees each change', async () => {
    await cairn.json('account', 'create', 'acme', '--email', 'ops@acme.example');
    const { id, secret } = await cairn.json<Key>('key', 'create', 'acme', '--name', 'ci');
    const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(cairn.home, 'accounts') }) });
    const principal = () => auth.authenticate({ keyId: id, secret });
    expect((await principal()).account).toMatchObject({ name: 'acme', email: 'ops@acme.example' });
    await cairn.json('card', 'attach', 'acme', '--brand', 'visa', '--last4', '4242');
    expect((await principal()).account.card).toMatchObject({ brand: 'visa', last4: '4242' });
    await cairn.json('card', 'remove', 'acme');
    expect((await principal()).account.card).toBeUndefined();
    await cairn.json('account', 'suspend', 'acme');
    await expect(principal()).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
    await cairn.json('account', 'resume', 'acme');
    const rotated = await cairn.json<Key>('key', 'rotate', id, '--grace', '0');
    await expect(principal()).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    await auth.authenticate({ keyId: id, secret: rotated.secret });
    await cairn.json('key', 'revoke', id);
    await expect(auth.identify(id)).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    await auth.close();
    const listed = await cairn.run('key', 'list', 'acme');
    expect(listed.stdout).toContain('revoked');
    expect(listed.stdout + (await cairn.run('key', 'list', 'acme', '--json')).stdout).not.toMatch(/cs_|"hash"|"salt"/);
  });

  test('limits of keys can be changed, and the audit log records each change with its actor', async () => {
    await cairn.json('account', 'create', 'limited');
    const limits = ['--methods', 'eth_call,eth_get*', '--networks', 'sample', '--storage', '', '--expires', '30d'];
    const key = await cairn.json<Key & { policy: unknown; expiresAt: number }>('key', 'create', 'limited', ...limits);
    expect(key.policy).toEqual({ storage: [], networks: ['sample'], methods: ['eth_call', 'eth_get*'] });
    expect(key.expiresAt - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect((await cairn.run('key', 'list', 'limited')).stdout).toMatch(
      /storage none; networks sample; methods eth_call,eth_get\*; until 20/,
    );
    const opened = await cairn.json<{ policy: unknown }>('key', 'limit', key.id, '--open');
    expect(opened.policy).toEqual({});
    const sending = await cairn.json<Key & { policy: unknown }>('key', 'create', 'limited', '--grants', 'send');
    expect(sending.policy).toEqual({ grants: ['send'] });
    const operating = await cairn.json<{ policy: unknown }>('key', 'limit', sending.id, '--grants', 'send,node');
    expect(operating.policy).toEqual({ grants: ['send', 'node'] });
    const unlimited = await cairn.json<Key>('key', 'create', 'limited', '--name', 'unlimited');
    const list = (await cairn.run('key', 'list', 'limited')).stdout;
    expect(list).toMatch(new RegExp(`${unlimited.id} .* none$`, 'm'));
    await cairn.json('key', 'revoke', unlimited.id);
    const entries = await cairn.json<readonly { action: string; actor: unknown; keyId?: string }[]>('audit', 'limited');
    expect(entries.map(({ action }) => action)).toEqual([
      'key.revoke',
      'key.create',
      'key.limit',
      'key.create',
      'key.limit',
      'key.create',
      'account.create',
    ]);
    expect(entries[4]).toMatchObject({ keyId: key.id, actor: { from: 'cairn command' } });
    const audited = (await cairn.run('audit', 'limited', '--limit', '2')).stdout;
    expect(audited.trim().split('\n').length).toBe(3);
    expect(JSON.stringify(entries) + audited).not.toContain(key.secret);
  });

  test.each([
    [['account', 'create', 'acme'], 5, 'already'],
    [['key', 'create', 'acme', '--storage', 'delete'], 2, 'storage'],
    [['key', 'create', 'acme', '--grants', 'sign'], 2, 'grants'],
    [['key', 'create', 'acme', '--addresses', '10.0.0.0/40'], 2, 'addresses'],
    [['key', 'create', 'acme', '--expires', '2001-01-01'], 2, 'a time in the future'],
    [['key', 'limit', 'x'], 2, 'Name a limit'],
    [['account', 'show', 'unknown'], 4, 'no account "unknown"'],
    [['account', 'create', '.bad'], 2, 'name'],
    [['card', 'attach', 'acme', '--brand', 'visa', '--last4', '42'], 2, 'last4'],
    [['card', 'attach', 'acme'], 2, '--brand'],
    [['key', 'revoke', 'ck_none'], 4, 'no key'],
    [['key', 'rotate', 'x', '--grace', 'soon'], 2, 'number of hours'],
    [['key', 'create', 'acme', '--networks', 'foo'], 2, 'there is no network "foo". Choose from sample'],
    [['gateway', 'sign', '/ipfs/bafkqaaa', '--key', 'x', '--url', 'dweb.example'], 2, 'https://dweb.example'],
    [['gateway', 'sign', '/ipfs/bafkqaaa', '--key', 'x', '--url', 'ftp://dweb.example'], 2, 'https://dweb.example'],
    [['gateway', 'sign', '/ipfs/bafkqaaa', '--key', 'x', '--expires', '0'], 2, 'seconds'],
    [['gateway', 'sign', '/ipfs/zzz', '--key', 'x'], 2, '"zzz" is not a CID'],
    [['gateway', 'host', 'add', 'localhost', '--account', 'acme'], 2, 'not localhost'],
    [['account', 'create', 'planless', '--plan', 'nope'], 4, 'no plan "nope"; there are free'],
    [['plan', 'remove', 'free'], 5, 'cannot be removed'],
    [['plan', 'set', 'wide', '--burst', '0'], 2, 'of at least 1'],
    [['key', 'create', 'acme', '--expires', '2027-02-31'], 2, 'a time in the future'],
    [['gateway', 'sign', '/ipfs/bafkqaaa', '--key', 'x', '--expires', '999999999'], 2, '366 days'],
    [['backup', '/dev/null/x'], 1, '/dev/null/x cannot be written (ENOTDIR)'],
    [['import', 'atlantis'], 4, 'no network "atlantis"'],
    [['frobnicate'], 2, 'unknown command'],
  ])('%j ends with %i and a clear message', async (args, expected, message) => {
    const { code, stderr } = await cairn.run(...args);
    expect(code).toBe(expected);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

test('gateway sign writes a link to the port of the gateway, or to an address that is named', async () => {
  await cairn.run('account', 'create', 'linked');
  const { id } = await cairn.json<Key>('key', 'create', 'linked');
  cairn.settings = { IPFS_GATEWAY_PORT: '18081' };
  const sign = (...options: readonly string[]) =>
    cairn.json<{ url: string }>('gateway', 'sign', '/ipfs/bafkqaaa/a b?', '--key', id, ...options);
  expect((await sign()).url).toMatch(/^http:\/\/127.0.0.1:18081\/ipfs\/bafkqaaa\/a%20b%3F\?cairn-link=1\./);
  expect((await sign('--url', 'https://dweb.example')).url).toMatch(/^https:\/\/dweb.example\/ipfs\/bafkqaaa\/a%20b/);
  cairn.settings = {};
});

test('limits of a plan are set, and removed with none', async () => {
  await cairn.run('account', 'create', 'planned');
  const set = (...options: readonly string[]) => cairn.json<Record<string, unknown>>('plan', 'set', 'wide', ...options);
  const limits = ['--stored-bytes', '10MiB', '--burst', '5', '--methods', 'eth_call'];
  expect(await set('--title', 'none', ...limits)).toEqual({
    name: 'wide',
    title: 'none',
    storedBytes: 10 * 1024 * 1024,
    burst: 5,
    methods: ['eth_call'],
  });
  expect(await set('--stored-bytes', 'none', '--methods', 'none')).toEqual({ name: 'wide', title: 'none', burst: 5 });
});

describe('errors with --json', () => {
  test.each([
    [['account', 'show', 'unknown'], 4, 'ACCOUNT_NOT_FOUND'],
    [['key', 'rotate', 'x', '--grace', 'soon'], 2, 'USAGE_INVALID'],
    [['frobnicate'], 2, 'USAGE_INVALID'],
  ])('%j is one JSON object with exit code %i', async (args, exitCode, code) => {
    const outcome = await cairn.run(...args, '--json');
    expect(outcome).toMatchObject({ code: exitCode, stdout: '' });
    expect(JSON.parse(outcome.stderr)).toMatchObject({ error: { code, message: expect.any(String) }, exitCode });
  });
});

describe('the environment of a shell', () => {
  test('a mistyped CAIRN_HOME is refused and creates no store', async () => {
    const missing = join(cairn.home, 'mistyped');
    const { code, stderr } = await outcomeOf(cairn.spawn(['account', 'list'], { CAIRN_HOME: missing }));
    expect(code).toBe(4);
    expect(stderr).toContain(`There is no store in ${missing}. Set CAIRN_HOME`);
    expect(existsSync(missing)).toBe(false);
  });

  test('exported credentials of a migration do not break other commands', async () => {
    const exported = { CAIRN_MIGRATE_KEY: 'ck_x', CAIRN_MIGRATE_SECRET: 'cs_x', CAIRN_MIGRATE_FROM_KEY: 'old' };
    expect((await outcomeOf(cairn.spawn(['account', 'list'], exported))).code).toBe(0);
  });
});

test('store reindex refuses the embedded form and names what to use', async () => {
  const { code, stdout, stderr } = await cairn.run('store', 'reindex');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('`cairn repair blocks`');
});

describe('import and status', () => {
  test('import the sample network once, and report the stored blocks', async () => {
    expect((await cairn.run('import', 'sample')).stdout).toContain('24 blocks imported and verified');
    expect((await cairn.run('import')).stdout).toMatch(/^sample: head is block 24/m);
    const status = await cairn.json<{ networks: unknown; store: unknown; accounts: readonly { name: string }[] }>(
      'status',
    );
    expect(status.networks).toEqual([{ name: 'sample', chainId: '48484848', head: '24' }]);
    expect(status.store).toEqual({ blocks: 0, bytes: 0 });
    expect(status.accounts.map(({ name }) => name)).toContain('acme');
    expect((await cairn.run('status')).stdout).toContain('48484848');
  });
});
