import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Auth } from '@cairn/auth';
import { openStores } from '@cairn/stores';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeWithPostgres, describeWithRedis } from '../../../tools/engines/jest.mjs';
import { type Gateway, launchGateway } from './gateway.ts';

const CAIRN_SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

describeWithPostgres('gateways on a database', (postgres) => {
  describeWithRedis('with Redis', (redis) => {
    const homes: string[] = [];
    const newHome = () => {
      homes.push(mkdtempSync(join(tmpdir(), 'cairn-gateway-')));
      return homes.at(-1) ?? '';
    };
    let env: Readonly<Record<string, string>>;
    let gateways: Gateway[] = [];
    beforeAll(async () => {
      const CAIRN_DATABASE_URL = await postgres().createDatabase();
      env = { CAIRN_DATABASE_URL, CAIRN_REDIS_URL: redis().url, CAIRN_SECRETS_KEY, CAIRN_CALL_WORKERS: '1' };
      const auth = new Auth({ store: await openStores({ CAIRN_HOME: newHome(), CAIRN_DATABASE_URL }).accounts() });
      await auth.createAccount({ name: 'caller', plan: 'local' });
      await auth.createKey('caller', { id: 'shared-key' });
      await auth.close();
      gateways = await Promise.all([0, 1].map(() => launchGateway({ home: newHome(), env })));
      await Promise.all(gateways.map((gateway) => gateway.ready()));
    });
    afterAll(async () => {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      for (const home of homes) rmSync(home, { recursive: true, force: true });
    });

    const chainId = ({ port }: Gateway, key = 'shared-key') =>
      fetch(`http://127.0.0.1:${port}/v3/${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
      });
    const readiness = async ({ port }: Gateway) => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      const { dependencies } = (await response.json()) as { readonly dependencies: Readonly<Record<string, string>> };
      return { status: response.status, dependencies };
    };

    test('share accounts without a common directory, and keep only chains in their homes', async () => {
      for (const gateway of gateways) {
        const response = await chainId(gateway);
        expect([response.status, await response.json()]).toEqual([
          200,
          expect.objectContaining({ result: expect.any(String) }),
        ]);
        expect(readdirSync(gateway.home)).toEqual(['chains']);
        expect(await readiness(gateway)).toMatchObject({ status: 200, dependencies: { postgres: 'ok', redis: 'ok' } });
      }
      expect(new Set(gateways.map(({ home }) => home)).size).toBe(2);
    });

    test('refuse keys and accounts that another process revokes or suspends, and accept them again', async () => {
      const { CAIRN_DATABASE_URL } = env;
      const auth = new Auth({ store: await openStores({ CAIRN_HOME: newHome(), CAIRN_DATABASE_URL }).accounts() });
      const everywhere = async (key: string, status: number) => {
        for (const gateway of gateways)
          for (let tries = 0; (await chainId(gateway, key)).status !== status; tries++) {
            if (tries > 500) throw new Error(`The key is not answered with ${status}.`);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
      };
      try {
        await auth.createAccount({ name: 'changing', plan: 'local' });
        await auth.createKey('changing', { id: 'changing-key' });
        await auth.createKey('changing', { id: 'revoked-key' });
        await everywhere('changing-key', 200);
        await everywhere('revoked-key', 200);
        await auth.setStatus('changing', 'suspended');
        await everywhere('changing-key', 403);
        await auth.setStatus('changing', 'active');
        await everywhere('changing-key', 200);
        await auth.revokeKey('revoked-key');
        await everywhere('revoked-key', 401);
        await everywhere('changing-key', 200);
      } finally {
        await auth.close();
      }
    });

    test('do not start without the secrets key of the others, and name no URL', async () => {
      for (const [key, message] of [
        ['', /CAIRN_SECRETS_KEY is not/],
        [Buffer.alloc(32, 8).toString('base64'), /The services of this database use the secrets key/],
      ] as const) {
        const { CAIRN_SECRETS_KEY: _, ...others } = env;
        const started = launchGateway({ home: newHome(), env: { ...others, ...(key && { CAIRN_SECRETS_KEY: key }) } });
        const error: unknown = await started.catch((reason: unknown) => reason);
        expect(String(error)).toMatch(message);
        expect(String(error)).not.toContain(others.CAIRN_DATABASE_URL);
      }
    });

    describe('while the database is away', () => {
      beforeAll(() => postgres().kill());
      afterAll(() => postgres().start());

      test('answer 503 with Retry-After to unknown keys, and stay ready', async () => {
        for (const gateway of gateways) {
          const response = await chainId(gateway, 'unknown-key');
          expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
          expect(await response.json()).toMatchObject({
            error: { code: -32002, message: 'A store of the service does not answer. Retry in a moment.' },
          });
        }
        const [first] = gateways;
        if (first === undefined) throw new Error('No gateway runs.');
        let state = await readiness(first);
        while (state.dependencies.postgres === 'ok') {
          await new Promise((resolve) => setTimeout(resolve, 100));
          state = await readiness(first);
        }
        expect(state).toMatchObject({
          status: 200,
          dependencies: { postgres: expect.stringMatching(/does not answer/) },
        });
      });
    });

    test('answer again when the database is back', async () => {
      for (const gateway of gateways) {
        let response = await chainId(gateway);
        while (response.status === 503) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          response = await chainId(gateway);
        }
        expect(response.status).toBe(200);
      }
    });
  });
});
