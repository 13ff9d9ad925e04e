import { readdirSync } from 'node:fs';
import { Auth } from '@cairn/auth';
import { openStores } from '@cairn/stores';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { Cairn, outcomeOf } from './cairn.ts';

const cairn = new Cairn();
afterAll(() => cairn.remove());

describeWithPostgres('commands with CAIRN_DATABASE_URL', (server) => {
  let url: string;
  beforeAll(async () => {
    url = await server().createDatabase();
  });
  const run = (...args: readonly string[]) => outcomeOf(cairn.spawn(args, { CAIRN_DATABASE_URL: url }));

  test('manage accounts, keys, plans and members in the database, and nothing in the home', async () => {
    expect(await run('account', 'create', 'acme', '--json')).toMatchObject({ code: 0 });
    const created = await run('key', 'create', 'acme', '--json');
    const { id, secret } = JSON.parse(created.stdout) as { id: string; secret: string };
    expect(await run('card', 'attach', 'acme', '--brand', 'visa', '--last4', '4242')).toMatchObject({ code: 0 });
    expect((await run('plan', 'list')).code).toBe(0);
    expect((await run('audit', 'acme')).stdout).toContain('key.create');
    const auth = new Auth({ store: await openStores({ CAIRN_HOME: cairn.home, CAIRN_DATABASE_URL: url }).accounts() });
    expect((await auth.authenticate({ keyId: id, secret })).account).toMatchObject({ name: 'acme' });
    await auth.close();
    expect(readdirSync(cairn.home)).toEqual([]);
  });

  describe('that work on files', () => {
    test.each([
      ['backup', 'x'],
      ['restore', 'x'],
      ['repair', 'pins'],
      ['secrets', 'rotate'],
    ])('%s %s is refused with what to do instead', async (...args) => {
      const { code, stderr } = await run(...args.filter((arg) => arg !== ''));
      expect(code).toBe(1);
      expect(stderr).toContain('works on the files of CAIRN_HOME, and CAIRN_DATABASE_URL is set.');
    });
  });

  test('fail with one line that has no password while the database is away', async () => {
    const away = 'postgres://cairn:hidden@127.0.0.1:9/cairn';
    const { code, stderr } = await outcomeOf(cairn.spawn(['account', 'list'], { CAIRN_DATABASE_URL: away }));
    expect(code).toBe(6);
    expect(stderr).toBe('The database does not answer. Retry in a moment.\n');
  });
});
