import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithS3 } from '../../../tools/engines/jest.mjs';
import { Cairn, type Outcome, outcomeOf } from './cairn.ts';
import { emptyGenesis } from './empty-genesis.ts';

const genesis = { ...emptyGenesis, alloc: { [`0x${'11'.repeat(20)}`]: { balance: '0x1' } } };

describeWithS3('cairn chain snapshot --publish', (server) => {
  const place = mkdtempSync(join(tmpdir(), 'cairn-published-'));
  const homes: Cairn[] = [];
  let env: Record<string, string>;
  let publicKey: string;

  const newHome = () => {
    const home = new Cairn();
    homes.push(home);
    return home;
  };
  const run = (home: Cairn, ...args: readonly string[]): Promise<Outcome> => outcomeOf(home.spawn(args, env));
  const restore = (home: Cairn, ...args: readonly string[]) =>
    run(home, 'chain', 'restore', '--published', '--json', ...args);

  beforeAll(async () => {
    writeFileSync(join(place, 'genesis.json'), JSON.stringify(genesis));
    const network = (name: string) => ({ name, hosts: [`${name}.localhost`], genesis: 'genesis.json' });
    writeFileSync(join(place, 'networks.json'), JSON.stringify({ networks: [network('made'), network('other')] }));
    const { accessKeyId, secretAccessKey } = server();
    env = {
      CAIRN_NETWORKS: join(place, 'networks.json'),
      CAIRN_OBJECT_STORE: server().createStore(),
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };
    const source = newHome();
    expect(await source.run('account', 'create', 'alice')).toMatchObject({ code: 0 });
    expect(await run(source, 'import', 'made')).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout, stderr } = await run(source, 'chain', 'snapshot', 'made', '--publish', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const published = JSON.parse(stdout) as { publicKey: string; key: string };
    expect(published.key).toMatch(/^chains\/made\/0000000000000000-bafy[a-z0-9]+\.car$/);
    ({ publicKey } = published);
    expect(readdirSync(join(source.home, 'snapshots'))).toEqual([]);
  });
  afterAll(() => {
    for (const home of homes) home.remove();
    rmSync(place, { recursive: true, force: true });
  });

  test('a new replica restores every published network, and a second call restores none', async () => {
    const home = newHome();
    const first = await restore(home, '--signed-by', publicKey);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(first.stdout)).toMatchObject([
      { network: 'made', snapshot: { head: { number: 0 } } },
      { network: 'other', skipped: 'has no published snapshot' },
    ]);
    expect(readdirSync(join(home.home, 'chains'))).toEqual(['made']);
    expect(readdirSync(join(home.home, 'snapshots'))).toEqual([]);
    const second = await restore(home, '--signed-by', publicKey);
    expect(JSON.parse(second.stdout)).toMatchObject([{ network: 'made', skipped: 'has a chain' }, {}]);
  });

  test('a snapshot that another deployment signed is refused', async () => {
    const home = newHome();
    expect(await home.run('account', 'create', 'bob')).toMatchObject({ code: 0 });
    const { code, stderr } = await restore(home);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is signed by') });
    expect(readdirSync(home.home)).not.toContain('chains');
  });

  test.each([
    [['chain', 'restore'], 'Name a file'],
    [['chain', 'restore', '--published', 'file.car'], 'takes no file'],
    [['chain', 'restore', 'file.car', '--signed-by', '11'.repeat(32)], 'needs --published'],
    [['chain', 'restore', '--published', '--signed-by', 'x'], 'Expected public keys'],
    [['chain', 'snapshot', 'made', '--publish', '--out', 'file.car'], 'Remove --out'],
  ])('refuses %j', async (args, reason) => {
    const { code, stderr } = await run(newHome(), ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
  });

  test('names a missing setting and a missing credential, and prints no secret', async () => {
    const withoutStore = newHome().spawn(['chain', 'restore', '--published', '--signed-by', publicKey], {
      CAIRN_NETWORKS: env.CAIRN_NETWORKS ?? '',
    });
    expect(await outcomeOf(withoutStore)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Set CAIRN_OBJECT_STORE'),
    });
    const withoutSecret = newHome().spawn(['chain', 'restore', '--published', '--signed-by', publicKey], {
      ...env,
      AWS_SECRET_ACCESS_KEY: '',
    });
    expect(await outcomeOf(withoutSecret)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('AWS_SECRET_ACCESS_KEY is not set'),
    });
  });
});
