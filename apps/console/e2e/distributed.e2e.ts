import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Auth } from '@cairn/auth';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { openStores } from '@cairn/stores';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithPostgres } from '../../../tools/engines/jest.mjs';
import { Visitor } from './visitor.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describeWithPostgres('two consoles on a database', (postgres) => {
  const homes: string[] = [];
  const consoles: RunningService[] = [];
  let auth: Auth;
  const newHome = () => {
    homes.push(mkdtempSync(join(tmpdir(), 'cairn-console-')));
    return homes.at(-1) ?? '';
  };
  beforeAll(async () => {
    const CAIRN_DATABASE_URL = await postgres().createDatabase();
    const CAIRN_SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
    const env = { CAIRN_DATABASE_URL, CAIRN_SECRETS_KEY, CONSOLE_TRUSTED_PROXIES: '127.0.0.1' };
    auth = new Auth({ store: await openStores({ CAIRN_HOME: newHome(), CAIRN_DATABASE_URL }).accounts() });
    for (let count = 0; count < 2; count++) consoles.push(await startService({ main, home: newHome(), env }));
  });
  afterAll(async () => {
    await Promise.all(consoles.map((service) => service.stop()));
    await auth.close();
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });

  /** Visitors of both consoles with one session. */
  async function signUp(name: string): Promise<readonly Visitor[]> {
    const [first, ...others] = consoles.map(({ url }) => new Visitor(url));
    if (first === undefined) throw new Error('No console runs.');
    await first.signUp(name, 'four words in a row');
    for (const other of others) other.cookie = first.cookie;
    return [first, ...others];
  }

  /** Waits until both consoles answer a page with a status. */
  async function everywhere(visitors: readonly Visitor[], status: number): Promise<void> {
    for (const visitor of visitors)
      for (let tries = 0; (await visitor.ask('GET', 'keys')).status !== status; tries++) {
        if (tries > 500) throw new Error(`The session is not answered with ${status}.`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
  }

  test('share sessions, and end them together', async () => {
    const visitors = await signUp('shared');
    for (const visitor of visitors) expect((await visitor.ask('GET', 'keys')).status).toBe(200);
    await visitors[0]?.ask('POST', 'sign-out');
    expect((await visitors[1]?.ask('GET', 'keys'))?.status).toBe(401);
  });

  test('limit sign-ups of each client of a balancer by itself', async () => {
    const signUpFrom = async (forwarded: string) => {
      const body = { email: 'one@example.org', password: 'four words in a row', accountName: 'one' };
      const headers = { 'x-cairn-console': '1', 'x-forwarded-for': forwarded };
      return (await new Visitor(consoles[0]?.url ?? '').ask('POST', 'sign-up', body, headers)).status;
    };
    let status = 0;
    for (let tries = 0; status !== 429 && tries <= 20; tries++) status = await signUpFrom('198.51.100.7');
    expect(status).toBe(429);
    // A client writes what it likes before its address.
    expect(await signUpFrom('203.0.113.9, 198.51.100.7')).toBe(429);
    expect(await signUpFrom('203.0.113.9')).toBe(409);
  });

  test('refuse an account that another process suspends, and accept it again', async () => {
    const visitors = await signUp('stopped');
    await everywhere(visitors, 200);
    await auth.setStatus('stopped', 'suspended');
    await everywhere(visitors, 403);
    await auth.setStatus('stopped', 'active');
    await everywhere(visitors, 200);
  });

  test('revoke keys of each other, and other processes refuse them', async () => {
    const [first, second] = await signUp('owner');
    if (first === undefined || second === undefined) throw new Error('No console runs.');
    const made = await first.ask('POST', 'keys', { name: 'one' });
    expect(made.status).toBe(201);
    const { id } = made.body.key as { readonly id: string };
    expect((await auth.identify(id)).key.id).toBe(id);
    expect(await second.ask('POST', `keys/${id}/revoke`)).toMatchObject({ status: 200, body: { id } });
    const codeOf = () =>
      auth.identify(id).then(
        () => 'accepted',
        ({ code }: { readonly code: string }) => code,
      );
    for (let tries = 0; (await codeOf()) !== 'CREDENTIALS_INVALID'; tries++) {
      if (tries > 500) throw new Error('The key is still accepted.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
});
