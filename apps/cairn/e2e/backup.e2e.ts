import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
  expect(existsSync(`${empty.home}.partial`)).toBe(false);
  expect(existsSync(join(place, 'none'))).toBe(false);
  empty.remove();
});
