// A restored backup of two accounts moves to PostgreSQL and a bucket; one of the runs is killed while it copies blocks.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { openS3ObjectStore } from '@cairn/object-store/s3';
import type { Usage } from '@cairn/pinning';
import { openPostgres } from '@cairn/postgres';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { openStores, type StoreSettings } from '@cairn/stores';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithPostgres, describeWithS3 } from '../../../tools/engines/jest.mjs';
import { services } from '../src/workspace.ts';
import { Cairn, outcomeOf } from './cairn.ts';

const main = services['storage-api'];
const accounts = ['ann', 'bob'] as const;
type Account = (typeof accounts)[number];
/** Nothing listens here, so that events wait. */
const hook = 'http://127.0.0.1:1/hook';
const absent = 'bafkreieogg3nlfsw2hfbomanvhdrw5bfftdn67pui7rcg6gqo4ofuramfa';

/** Bytes that no compression shortens, equal for equal seeds. */
function noise(length: number, seed: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 32)
    bytes.set(
      createHash('sha256')
        .update(`${seed} ${at}`)
        .digest()
        .subarray(0, length - at),
      at,
    );
  return bytes;
}

function send(service: RunningService, account: Account, path: string, init: RequestInit = {}): Promise<Response> {
  const authorization = path.startsWith('psa')
    ? `Bearer ${account}:secret-of-${account}`
    : `Basic ${Buffer.from(`${account}:secret-of-${account}`).toString('base64')}`;
  return fetch(`${service.url}/${path}`, { method: 'POST', ...init, headers: { authorization } });
}

async function add(service: RunningService, account: Account, bytes: Uint8Array<ArrayBuffer>, options = '') {
  const body = new FormData();
  body.set('file', new Blob([bytes]));
  const answer = await send(service, account, `api/v0/add?cid-version=1${options}`, { body });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { readonly Hash: string }).Hash;
}

async function hashOf(service: RunningService, account: Account, cid: string): Promise<string> {
  const answer = await send(service, account, `api/v0/cat?arg=${cid}`);
  expect(answer.status).toBe(200);
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
}

/** Pins, file trees, pin requests and the webhook of an account, as the service reports them. */
async function seenBy(service: RunningService, account: Account): Promise<unknown> {
  const json = async (path: string, method = 'POST') => await (await send(service, account, path, { method })).json();
  const { results } = (await json('psa/pins?status=queued,pinning,pinned,failed', 'GET')) as {
    readonly results: readonly { readonly requestid: string; readonly created: string; readonly pin: object }[];
  };
  const { waiting: _, ...webhook } = (await json('psa/webhook', 'GET')) as { readonly waiting?: number };
  return {
    pins: await json('api/v0/pin/ls?names=true'),
    files: await json('api/v0/files/stat?arg=/'),
    requests: results.map(({ requestid, created, pin }) => ({ requestid, created, pin })),
    webhook,
  };
}

/** Usage of each account by its pins, from the stores. */
async function usagesOf(settings: StoreSettings): Promise<readonly Usage[]> {
  const stores = openStores(settings);
  const [known, pins] = [await stores.accounts(), await stores.pins()];
  const usages: Usage[] = [];
  for await (const { id } of known.accounts()) usages.push(await pins.usage(id));
  await known.close();
  await pins.close();
  return usages;
}

describeWithPostgres('cairn migrate-stores with content', (postgres) => {
  describeWithS3('and a bucket', (s3) => {
    const cairn = new Cairn();
    const restored = new Cairn();
    const empty = mkdtempSync(join(tmpdir(), 'cairn-stateless-'));
    const content: (readonly [Account, string])[] = [];
    const hashes: string[] = [];
    const seen: unknown[] = [];
    let env: Record<string, string>;

    beforeAll(async () => {
      const { accessKeyId, secretAccessKey } = s3();
      env = {
        CAIRN_DATABASE_URL: await postgres().createDatabase(),
        CAIRN_OBJECT_STORE: s3().createStore(),
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        CAIRN_SECRETS_KEY_FILE: join(cairn.home, 'secrets.key'),
        STORAGE_WEBHOOK_PRIVATE: 'yes',
      };
      const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(cairn.home, 'accounts') }) });
      for (const name of accounts) {
        await auth.createAccount({ name, plan: 'local' });
        await auth.attachCard(name, { brand: 'visa', last4: '4242' });
        await auth.createKey(name, { id: name, secret: `secret-of-${name}` });
      }
      await auth.close();
      const service = await startService({ main, home: cairn.home, env: { STORAGE_WEBHOOK_PRIVATE: 'yes' } });
      try {
        for (let seed = 0; seed < 20; seed++) {
          // Bob pins some of the files of Ann, and has unpinned blocks.
          const account = seed % 3 === 0 ? 'bob' : 'ann';
          const options = seed % 8 === 3 ? '&pin=false' : '';
          content.push([account, await add(service, account, noise(1_000_000, seed), options)]);
          if (seed % 5 === 0) content.push(['bob', await add(service, 'bob', noise(1_000_000, seed))]);
        }
        expect((await send(service, 'ann', `api/v0/files/cp?arg=/ipfs/${content[0]?.[1]}&arg=/kept`)).ok).toBe(true);
        const setting = { method: 'PUT', body: JSON.stringify({ url: hook }) };
        expect((await send(service, 'ann', 'psa/webhook', setting)).status).toBe(200);
        for (const cid of [absent, content[1]?.[1]])
          expect((await send(service, 'ann', 'psa/pins', { body: JSON.stringify({ cid, name: 'kept' }) })).status).toBe(
            202,
          );
        for (const [account, cid] of content) hashes.push(await hashOf(service, account, cid));
        for (const account of accounts) seen.push(await seenBy(service, account));
      } finally {
        await service.stop();
      }
      const backup = join(empty, 'backup');
      expect(await cairn.run('backup', backup)).toMatchObject({ code: 0 });
      expect(await restored.run('restore', backup)).toMatchObject({ code: 0 });
      rmSync(backup, { recursive: true });
    });
    afterAll(() => {
      cairn.remove();
      restored.remove();
      rmSync(empty, { recursive: true, force: true });
    });

    test('is refused without a bucket', async () => {
      const { CAIRN_OBJECT_STORE: _, ...others } = env;
      const { code, stderr } = await outcomeOf(restored.spawn(['migrate-stores'], others));
      expect([code, stderr]).toEqual([2, expect.stringContaining('no object store is named')]);
    });

    test('resumes after kill -9 while it copies blocks', async () => {
      const database = await openPostgres({ url: env.CAIRN_DATABASE_URL ?? '', connectionsMax: 1 });
      const indexed = () =>
        database.read<{ readonly blocks: number }>({ text: 'SELECT count(*) AS blocks FROM pack_blocks' }).then(
          ({ rows }) => rows[0]?.blocks ?? 0,
          () => 0,
        );
      const killed = restored.spawn(['migrate-stores'], env);
      const ended = outcomeOf(killed);
      while ((await indexed()) === 0 && killed.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 5));
      killed.kill('SIGKILL');
      expect((await ended).code).toBeNull();
      await database.close();
      const { code, stdout, stderr } = await outcomeOf(restored.spawn(['migrate-stores', '--json'], env));
      expect([code, stderr]).toEqual([0, '']);
      const { copied, problems } = JSON.parse(stdout) as {
        readonly copied: Record<string, { readonly blocks: number; readonly written: number }>;
        readonly problems: readonly string[];
      };
      expect(problems).toEqual([]);
      expect(copied).toMatchObject({ 'pin requests': { requests: 2, webhooks: 1 }, 'file trees': { trees: 1 } });
      expect(copied.blocks?.written).toBeLessThan(copied.blocks?.blocks ?? 0);
      expect(await usagesOf({ CAIRN_HOME: empty, ...env })).toEqual(await usagesOf({ CAIRN_HOME: restored.home }));
    });

    test('a storage-api without files serves the same bytes, pins, trees, requests and webhook', async () => {
      const service = await startService({ main, home: empty, env });
      try {
        for (const [index, [account, cid]] of content.entries())
          expect(await hashOf(service, account, cid)).toBe(hashes[index]);
        for (const [index, account] of accounts.entries()) expect(await seenBy(service, account)).toEqual(seen[index]);
        const added = await add(service, 'bob', noise(1000, 999));
        expect(await hashOf(service, 'bob', added)).toBe(createHash('sha256').update(noise(1000, 999)).digest('hex'));
      } finally {
        await service.stop();
      }
    });

    test('copies everything back into a new home over kill -9, which a storage-api without engines serves', async () => {
      const back = join(empty, 'back');
      const args = ['migrate-stores', '--to-home', back];
      const { CAIRN_SECRETS_KEY_FILE: _, ...keyless } = env;
      expect((await outcomeOf(restored.spawn(args, keyless))).stderr).toContain('CAIRN_SECRETS_KEY is not');
      const killed = restored.spawn(args, env);
      killed.stdout?.on('data', (line: Buffer) => {
        if (line.toString().includes('copying pins')) killed.kill('SIGKILL');
      });
      expect((await outcomeOf(killed)).code).toBeNull();
      const { code, stdout, stderr } = await outcomeOf(restored.spawn([...args, '--json'], env));
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({
        problems: [],
        resumedAfter: expect.arrayContaining(['accounts', 'blocks']),
        copied: { 'pin requests': { requests: 2, webhooks: 1 }, 'file trees': { trees: 1 } },
      });
      expect(await usagesOf({ CAIRN_HOME: back })).toEqual(await usagesOf({ CAIRN_HOME: empty, ...env }));
      expect((await outcomeOf(restored.spawn(args, env))).stderr).toContain('already copied to this target');
      const service = await startService({ main, home: back, env: { STORAGE_WEBHOOK_PRIVATE: 'yes' } });
      try {
        for (const [index, [account, cid]] of content.entries())
          expect(await hashOf(service, account, cid)).toBe(hashes[index]);
        for (const account of accounts)
          expect(await seenBy(service, account)).toMatchObject({
            webhook: (seen[accounts.indexOf(account)] as object & { webhook: object }).webhook,
          });
      } finally {
        await service.stop();
      }
      const verified = await outcomeOf(restored.spawn(['verify', '--json'], { CAIRN_HOME: back }));
      expect(JSON.parse(verified.stdout)).toMatchObject({ accounts: 2, problems: [] });
    });

    test('verify reads every block of the bucket, and names those of a lost pack', async () => {
      const verify = async () => {
        const { code, stdout, stderr } = await outcomeOf(cairn.spawn(['verify', '--json'], env));
        expect(stderr).toBe('');
        return { code, ...(JSON.parse(stdout) as { readonly blocks: number; readonly problems: readonly string[] }) };
      };
      const whole = await verify();
      expect(whole).toMatchObject({ code: 0, accounts: 2, problems: [] });
      expect(whole.blocks).toBeGreaterThan(60);
      const { accessKeyId, secretAccessKey } = s3();
      const objects = await openS3ObjectStore({
        url: env.CAIRN_OBJECT_STORE ?? '',
        credentials: { accessKeyId, secretAccessKey },
      });
      // A pack without a row may be left by the killed run.
      const database = await openPostgres({ url: env.CAIRN_DATABASE_URL ?? '', connectionsMax: 1 });
      const { rows } = await database.read<{ readonly key: string }>({
        text: 'SELECT key FROM packs WHERE live_blocks > 1 ORDER BY id LIMIT 1',
      });
      await database.close();
      await objects.deleteMany(rows.map(({ key }) => key));
      await objects.close();
      const { code, problems } = await verify();
      expect(code).toBe(1);
      expect(problems).toContainEqual(expect.stringMatching(/^block \S+ does not match its name; it is quarantined$/));
      expect(problems).toContainEqual(expect.stringMatching(/^pin \S+ of \S+: /));
    });
  });
});
