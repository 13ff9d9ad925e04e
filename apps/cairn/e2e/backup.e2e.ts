import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { backupHome } from '../src/backup/backup.ts';
import { restoreHome } from '../src/backup/restore.ts';
import { services } from '../src/workspace.ts';
import { Cairn } from './cairn.ts';

interface Report {
  readonly blocks: number;
  readonly pins: number;
  readonly chainBlocks: number;
  readonly problems: readonly string[];
}

const cairn = new Cairn();
const restored = new Cairn();
const place = mkdtempSync(join(tmpdir(), 'cairn-backup-'));
const copy = join(place, 'copy');
let key: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  await cairn.json('account', 'create', 'ann', '--plan', 'local');
  await cairn.json('card', 'attach', 'ann', '--brand', 'visa', '--last4', '4242');
  key = await cairn.json('key', 'create', 'ann');
  await cairn.run('import');
});
afterAll(() => {
  cairn.remove();
  restored.remove();
  rmSync(place, { recursive: true, force: true });
});

/** Client of one storage API with its added contents by CID. */
function client(url: string) {
  const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
  const post = (command: string, body?: FormData) =>
    fetch(`${url}/api/v0/${command}`, { method: 'POST', headers: { authorization }, ...(body && { body }) });
  return {
    post,
    async add(text: string): Promise<string> {
      const form = new FormData();
      form.set('file', new Blob([text]), 'file.txt');
      const answer = await post('add', form);
      if (answer.status !== 200) throw new Error(await answer.text());
      return ((await answer.json()) as { Hash: string }).Hash;
    },
  };
}

test('a backup under load restores everything that was stored before it into an empty home', async () => {
  const storage = await startService({ main: services['storage-api'], home: cairn.home });
  const { add } = client(storage.url);
  const before = new Map<string, string>();
  for (let n = 0; n < 30; n++) {
    const text = `before ${n} `.repeat(n * 500 + 1);
    before.set(await add(text), text);
  }
  let isLoading = true;
  const load = Array.from({ length: 4 }, async (_, worker) => {
    for (let n = 0; isLoading; n++) await add(`while ${worker} ${n} `.repeat(100));
  });
  const { code, stdout, stderr } = await cairn.run('backup', copy);
  isLoading = false;
  await Promise.all(load);
  await storage.stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('copying blocks');
  expect(readdirSync(place)).toEqual(['copy']);

  rmSync(restored.home, { recursive: true });
  expect((await restored.run('restore', copy)).code).toBe(0);
  const verified = await restored.run('verify', '--json');
  const report = JSON.parse(verified.stdout) as Report;
  expect(report).toMatchObject({ problems: [], chainBlocks: 25 });
  expect(report.pins).toBeGreaterThanOrEqual(30);
  const again = await startService({ main: services['storage-api'], home: restored.home });
  const { post } = client(again.url);
  for (const [cid, text] of before) expect(await (await post(`cat?arg=${cid}`)).text()).toBe(text);
  await again.stop();
});

test('backup and restore refuse existing targets, damaged copies and other directories, and leave no files behind', async () => {
  expect(await cairn.run('backup', copy)).toMatchObject({ code: 5, stderr: expect.stringContaining('exists already') });
  expect(await restored.run('restore', copy)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('is not empty'),
  });
  const empty = new Cairn();
  expect(await empty.run('backup', join(place, 'none'))).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('no stores'),
  });
  expect(await empty.run('restore', place)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not a backup'),
  });
  appendFileSync(join(copy, 'pins', 'data.mdb'), 'x');
  expect(await empty.run('restore', copy)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('pins/data.mdb differs from the manifest'),
  });
  expect(readdirSync(empty.home)).toEqual([]);
  expect(existsSync(join(place, 'none'))).toBe(false);
  empty.remove();
});

test('a backup keeps blocks that an account unpins and collects meanwhile', async () => {
  const storage = await startService({ main: services['storage-api'], home: cairn.home });
  const { add, post } = client(storage.url);
  const pinned = await add('unpinned while blocks are copied');
  const target = join(mkdtempSync(join(place, 'kept-')), 'copy');
  await backupHome(cairn.home, target, {
    onStore: async (store) => {
      if (store !== 'blocks') return;
      expect((await post(`pin/rm?arg=${pinned}`)).status).toBe(200);
      expect(await (await post('repo/gc')).text()).toBe('');
    },
  });
  expect(await (await post('repo/gc')).text()).toMatch(/^{"Key"/);
  await storage.stop();
  const home = new Cairn();
  await restoreHome(target, home.home);
  rmSync(target, { recursive: true });
  expect(JSON.parse((await home.run('verify', '--json')).stdout)).toMatchObject({ problems: [] });
  home.remove();
});

test('a second backup to the same directory is refused and leaves the first one complete', async () => {
  const target = join(place, 'twice');
  const { files } = await backupHome(cairn.home, target, {
    onStore: async (store) => {
      if (store === 'blocks') expect(await cairn.run('backup', target)).toMatchObject({ code: 6 });
    },
  });
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['accounts/data.mdb', 'blocks/data.mdb', 'pins/data.mdb']));
  expect(readdirSync(place)).toContain('twice');
  expect(readdirSync(place)).not.toContain('.twice.partial');
});

test('restore keeps an empty directory, which may be a mount point', async () => {
  const home = new Cairn();
  const { ino } = statSync(home.home);
  mkdirSync(join(home.home, '.restore.partial', 'accounts'), { recursive: true });
  writeFileSync(join(home.home, '.restore.partial', 'accounts', 'data.mdb'), 'of a killed restore');
  expect((await home.run('restore', join(place, 'twice'))).code).toBe(0);
  expect(statSync(home.home).ino).toBe(ino);
  expect(readdirSync(home.home)).not.toContain('.restore.partial');
  expect((await home.run('verify')).code).toBe(0);
  home.remove();
});

test.each([
  ['{"version":2,"createdAt":"2030-01-01","files":{"a":{}}}', 'is a backup of version 2'],
  ['{"version":1}', 'is not a backup'],
  ['{"version":1,"createdAt":"2026-01-01","files":{}}', 'is not a backup'],
  ['null', 'is not a backup'],
])('restore refuses the manifest %s', async (manifest, message) => {
  const from = mkdtempSync(join(place, 'manifest-'));
  writeFileSync(join(from, 'cairn-backup.json'), manifest);
  const home = new Cairn();
  expect(await home.run('restore', from)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  expect(readdirSync(home.home)).toEqual([]);
  home.remove();
});

test('backup and restore name the path that cannot be written, and leave no files behind', async () => {
  const file = join(place, 'file');
  writeFileSync(file, '');
  expect(await cairn.run('backup', join(file, 'copy'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/The backup .*file\/copy cannot be written \(ENOTDIR\)/),
  });
  await expect(restoreHome(join(place, 'twice'), file)).rejects.toMatchObject({
    code: 'RESTORE_FAILED',
    message: expect.stringContaining(`was not restored to ${file}: E`),
  });
  expect(readFileSync(file, 'utf8')).toBe('');
});
