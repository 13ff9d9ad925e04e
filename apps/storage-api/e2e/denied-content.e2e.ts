import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { Service } from './service.ts';

// Statuses and texts of Kubo 0.42 with the same list, beside the stricter cases: Kubo serves a denied block through its parent.
const service = new Service();
const list = join(service.home, 'denylists', 'local.deny');
let root = '';
let bad = '';
let node = '';
let adminPort = 0;

async function ask(path: string, body?: FormData) {
  const answer = await service.post(path, body ? { body } : {});
  return { status: answer.status, text: await answer.text() };
}
const messageOf = (text: string): string => (JSON.parse(text) as { Message: string }).Message;

function form(files: Readonly<Record<string, string>>): FormData {
  const body = new FormData();
  for (const [name, text] of Object.entries(files)) body.append('file', new Blob([text]), encodeURIComponent(name));
  return body;
}

/** Replaces the list. Resolves when a read of the denied block has the given status. */
async function deny(rules: string | undefined, status: number): Promise<void> {
  if (rules === undefined) rmSync(list);
  else writeFileSync(list, rules);
  while ((await ask(`cat?arg=${bad}`)).status !== status) await new Promise((resolve) => setTimeout(resolve, 50));
}

beforeAll(async () => {
  await service.makeAccounts();
  mkdirSync(join(service.home, 'denylists'));
  adminPort = await freePort();
  await service.start({ STORAGE_API_ADMIN_PORT: String(adminPort) });
  const files = { 'd/bad.txt': 'secret', 'd/sub/good.txt': 'good', 'd/sub/path.txt': 'refused by its path' };
  const { text } = await ask('add?recursive=true&cid-version=1', form(files));
  const added = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { Name: string; Hash: string });
  const cidOf = (name: string) => added.find(({ Name }) => decodeURIComponent(Name) === name)?.Hash ?? '';
  root = cidOf('d');
  bad = cidOf('d/bad.txt');
  const put = await ask('dag/put', form({ node: JSON.stringify({ a: 1, bad: { '/': bad } }) }));
  node = (JSON.parse(put.text) as { Cid: { '/': string } }).Cid['/'];
  await ask(`files/cp?arg=/ipfs/${root}&arg=/d`);
  await ask(`files/cp?arg=/ipfs/${bad}&arg=/alone`);
  await ask(`pin/add?arg=${bad}`);
  await deny(`/ipfs/${bad}\n/ipfs/${root}/sub/path.txt\n`, 500);
});
afterAll(() => service.remove());

/** Fills in the CIDs of a case. */
const filled = (text: string) => text.replaceAll('BAD', bad).replaceAll('ROOT', root).replaceAll('NODE', node);
const blocked = 'is blocked and cannot be provided';

describe('denied content that is stored', () => {
  test.each([
    ['cat?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['cat?arg=/ipfs/ROOT/bad.txt', `/ipfs/ROOT/bad.txt ${blocked}`],
    ['cat?arg=/ipfs/ROOT/sub/path.txt', `/ipfs/ROOT/sub/path.txt ${blocked}`],
    ['cat?arg=ROOT//sub/./path.txt', `/ipfs/ROOT/sub/path.txt ${blocked}`],
    ['cat?arg=/ipfs/NODE/bad', `/ipfs/NODE/bad ${blocked}`],
    ['get?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['ls?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['ls?arg=/ipfs/ROOT/bad.txt', `/ipfs/ROOT/bad.txt ${blocked}`],
    ['refs?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['resolve?arg=/ipfs/BAD', `/ipfs/BAD ${blocked}`],
    ['resolve?arg=/ipfs/ROOT/sub/path.txt', `/ipfs/ROOT/sub/path.txt ${blocked}`],
    ['dag/get?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['dag/get?arg=NODE/bad', `/ipfs/NODE/bad ${blocked}`],
    ['dag/resolve?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['dag/stat?arg=BAD&progress=false', `/ipfs/BAD ${blocked}`],
    ['dag/export?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['dag/export?arg=BAD&local-only=true', `/ipfs/BAD ${blocked}`],
    ['block/get?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['block/stat?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['object/diff?arg=BAD&arg=ROOT', `/ipfs/BAD ${blocked}`],
    ['object/patch/add-link?arg=ROOT&arg=x&arg=BAD', `/ipfs/BAD ${blocked}`],
    ['pin/add?arg=BAD', `/ipfs/BAD ${blocked}`],
    ['pin/add?arg=BAD&recursive=false', `/ipfs/BAD ${blocked}`],
    ['pin/update?arg=ROOT&arg=BAD', `/ipfs/BAD ${blocked}`],
    ['files/stat?arg=/ipfs/BAD', `/ipfs/BAD ${blocked}`],
    ['files/stat?arg=/alone', `BAD ${blocked}`],
    ['files/read?arg=/d/bad.txt', `BAD ${blocked}`],
    ['files/ls?arg=/alone', `BAD ${blocked}`],
    ['files/cp?arg=/ipfs/BAD&arg=/copy', `/ipfs/BAD ${blocked}`],
    ['name/publish?arg=/ipfs/BAD&allow-offline=true', `/ipfs/BAD ${blocked}`],
  ])('%s is refused with the error of Kubo', async (path, message) => {
    const { status, text } = await ask(filled(path));
    expect([status, messageOf(text)]).toEqual([500, expect.stringMatching(`${filled(message)}$`)]);
  });

  test.each(['get?arg=ROOT&archive=true', 'dag/export?arg=ROOT', 'dag/export?arg=ROOT&local-only=true'])(
    '%s ends before the bytes of the denied block',
    async (path) => {
      const { text } = await ask(filled(path)).catch((error: Error) => ({ text: error.message }));
      expect(text).not.toContain('secret');
    },
  );

  test.each([
    ['cat?arg=/ipfs/ROOT/sub/good.txt', 'good'],
    ['dag/get?arg=NODE', '"a":1'],
    ['refs?arg=ROOT', 'BAD'],
    ['pin/ls?arg=BAD', 'BAD'],
    ['files/ls?arg=/d', 'bad.txt'],
    ['cid/format?arg=BAD', 'BAD'],
    ['repo/verify', 'verify complete'],
    ['repo/stat', 'RepoSize'],
  ])('%s works', async (path, part) => {
    const { status, text } = await ask(filled(path));
    expect([status, text]).toEqual([200, expect.stringContaining(filled(part))]);
  });

  test('the pinning service refuses it and reports the reason', async () => {
    const headers = {
      authorization: `Bearer ${Buffer.from('ann:secret-of-ann').toString('base64')}`,
      'content-type': 'application/json',
    };
    const post = { method: 'POST', headers, body: JSON.stringify({ cid: bad }) };
    const { requestid } = (await (await fetch(`${service.url}/psa/pins`, post)).json()) as { requestid: string };
    for (;;) {
      const answer = await fetch(`${service.url}/psa/pins/${requestid}`, { headers });
      const pin = (await answer.json()) as { status: string; info?: Record<string, string> };
      if (pin.status === 'failed') return expect(JSON.stringify(pin.info)).toContain(blocked);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

  test('refusals are counted by kind, each once', async () => {
    const refused = async (kind: string) => {
      const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
      return Number(new RegExp(`^cairn_denied_total\\{kind="${kind}"[^}]*\\} (\\d+)`, 'm').exec(text)?.[1]);
    };
    const before = [await refused('block'), await refused('path')];
    expect((await ask(`cat?arg=${bad}`)).status).toBe(500);
    expect((await ask(`cat?arg=/ipfs/${root}/sub/path.txt`)).status).toBe(500);
    const after = [await refused('block'), await refused('path')];
    expect(after.map((count, at) => count - (before[at] ?? 0)).reduce((sum, count) => sum + count)).toBe(2);
    expect(after[1]).toBeGreaterThan(before[1] ?? 0);
  });

  test('the collector keeps its pins, and it can be removed', async () => {
    expect((await ask('repo/gc')).status).toBe(200);
    expect((await ask(`pin/verify`)).status).toBe(200);
    await deny(undefined, 200);
    expect((await ask(`cat?arg=${bad}`)).text).toBe('secret');
    await deny(`/ipfs/${bad}\n`, 500);
    for (const path of [`pin/rm?arg=${bad}`, 'files/rm?arg=/alone', 'files/rm?arg=/d/bad.txt'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });
});
