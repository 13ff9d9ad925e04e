import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { services } from '../src/workspace.ts';
import { Cairn, outcomeOf } from './cairn.ts';

const MiB = 1024 ** 2;
const cairn = new Cairn();
const place = mkdtempSync(join(tmpdir(), 'cairn-stopped-'));
const copy = join(place, 'copy');

beforeAll(async () => {
  await cairn.json('account', 'create', 'ann', '--plan', 'local');
  await cairn.run('import');
  await (await startService({ main: services['storage-api'], home: cairn.home })).stop();
  mkdirSync(join(cairn.home, 'denylists'));
  writeFileSync(join(cairn.home, 'denylists', 'own.deny'), '---\nversion: 1\n---\n');
  expect((await cairn.run('backup', copy)).code).toBe(0);
});
afterAll(() => {
  cairn.remove();
  rmSync(place, { recursive: true, force: true });
});

/** Waits for a directory. */
async function appearance(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 5));
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s of backup and restore removes what they have copied', async (signal) => {
  const large = join(cairn.home, 'large');
  writeFileSync(large, '');
  truncateSync(large, 256 * MiB);
  const whole = join(place, `whole-${signal}`);
  const backup = cairn.spawn(['backup', whole]);
  void appearance(join(place, `.whole-${signal}.partial`, 'large')).then(() => backup.kill(signal));
  expect(await outcomeOf(backup)).toMatchObject({
    code: null,
    stderr: expect.stringContaining(`Stopped by ${signal}`),
  });
  expect(backup.signalCode).toBe(signal);
  expect(readdirSync(place)).toEqual(['copy']);

  expect((await cairn.run('backup', whole)).code).toBe(0);
  rmSync(large);
  const home = new Cairn();
  const restore = home.spawn(['restore', whole]);
  void appearance(join(home.home, '.restore.partial')).then(() => restore.kill(signal));
  expect(await outcomeOf(restore)).toMatchObject({
    code: null,
    stderr: expect.stringContaining(`Stopped by ${signal}`),
  });
  expect(readdirSync(home.home)).toEqual([]);
  home.remove();
  rmSync(whole, { recursive: true });
});

test('backup names the incomplete directory of a killed one', async () => {
  const left = join(place, '.yesterday.partial');
  mkdirSync(join(left, 'accounts'), { recursive: true });
  copyFileSync(join(copy, 'accounts', 'data.mdb'), join(left, 'accounts', 'data.mdb'));
  const { code, stderr } = await cairn.run('backup', join(place, 'today'));
  expect([code, stderr]).toEqual([0, expect.stringMatching(/\/\.yesterday\.partial is incomplete: .* Remove it/)]);
  expect(existsSync(left)).toBe(true);
  for (const path of [left, join(place, 'today')]) rmSync(path, { recursive: true });
});

test('a home whose restore was killed is refused until the same backup is restored again', async () => {
  const home = new Cairn();
  expect((await home.run('restore', copy)).code).toBe(0);
  // The state of a restore that was killed between the moves of two stores.
  const verified = join(home.home, '.restore.verified');
  mkdirSync(verified);
  copyFileSync(join(copy, 'cairn-backup.json'), join(verified, 'cairn-backup.json'));
  for (const name of ['accounts', 'denylists']) renameSync(join(home.home, name), join(verified, name));

  const refused = { code: 5, stderr: expect.stringMatching(/A restore into .* is not finished/) };
  for (const command of [['account', 'list'], ['account', 'create', 'bob'], ['import'], ['verify']])
    expect(await home.run(...command)).toMatchObject(refused);
  for (const main of [services['storage-api'], services['rpc-gateway'], services.console])
    await expect(startService({ main, home: home.home })).rejects.toThrow(/is not finished/);
  const doctor = await home.run('doctor');
  expect(doctor.stdout).toMatch(/^FAULT {4}stores {5}A restore into .* is not finished/m);

  const other = join(place, 'other');
  expect((await cairn.run('backup', other)).code).toBe(0);
  expect(await home.run('restore', other)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('unfinished restore of the backup of 20'),
  });
  rmSync(other, { recursive: true });
  expect((await home.run('restore', copy)).code).toBe(0);
  expect(readdirSync(home.home).sort()).toEqual([
    'accounts',
    'blocks',
    'chains',
    'denylists',
    'files',
    'names',
    'pins',
  ]);
  expect(readdirSync(join(home.home, 'denylists'))).toEqual(['own.deny']);
  expect((await home.run('account', 'show', 'ann')).code).toBe(0);
  expect((await home.run('verify')).code).toBe(0);
  home.remove();
});

test('a home killed before the end of the copy has no stores, and is refused', async () => {
  const home = new Cairn();
  mkdirSync(join(home.home, '.restore.partial', 'accounts'), { recursive: true });
  expect(await home.run('account', 'create', 'bob')).toMatchObject({ code: 5 });
  expect(readdirSync(home.home)).toEqual(['.restore.partial']);
  home.remove();
});

test('a store that cannot be read ends a backup, and is not taken for a missing one', async () => {
  const home = new Cairn();
  expect((await home.run('restore', copy)).code).toBe(0);
  rmSync(join(home.home, 'pins'), { recursive: true });
  // The superuser may read every directory, but no loop of links.
  symlinkSync('pins', join(home.home, 'pins'));
  const refused = { code: 1, stderr: expect.stringMatching(/\/pins cannot be read \(ELOOP\)/) };
  expect(await home.run('backup', join(place, 'unread'))).toMatchObject(refused);
  expect(await home.run('verify')).toMatchObject(refused);
  expect(readdirSync(place)).toEqual(['copy']);
  home.remove();
});

test('verify reports a damaged chain beside all other results', async () => {
  const home = new Cairn();
  expect((await home.run('restore', copy)).code).toBe(0);
  truncateSync(join(home.home, 'chains', 'sample', 'data.mdb'), 20_000);
  const { code, stdout } = await home.run('verify', '--json');
  const report: unknown = JSON.parse(stdout);
  expect([code, report]).toEqual([
    1,
    expect.objectContaining({ accounts: 1, problems: [expect.stringMatching(/^sample: .* is truncated/)] }),
  ]);
  home.remove();
});
