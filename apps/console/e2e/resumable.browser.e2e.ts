import { closeSync, ftruncateSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser } from './browser.ts';
import { Visitor } from './visitor.ts';

const MiB = 1024 * 1024;
const password = 'four words in a row';

describeInBrowser('resumable uploads in a browser', (visit) => {
  let directory: string;
  let restarted: RunningService | undefined;
  let key: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'cairn-resumable-'));
    for (const [name, length] of [
      ['film.bin', 300],
      ['other.bin', 260],
    ] as const) {
      const file = openSync(join(directory, name), 'w');
      ftruncateSync(file, length * MiB);
      // Different content in each part of the file.
      for (let part = 0; part < length; part++) writeSync(file, `${name} part ${part}`, part * MiB);
      closeSync(file);
    }
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await restarted?.stop();
  });
  const slow = async (uploadThroughput: number) => {
    const session = await visit.context.newCDPSession(visit.page);
    const common = { offline: false, latency: 0, downloadThroughput: -1 };
    await session.send('Network.emulateNetworkConditions', { ...common, uploadThroughput });
  };
  const choose = async (name: string) => {
    const chooser = visit.page.waitForEvent('filechooser');
    await visit.page.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles(join(directory, name));
  };
  const row = (name: string) =>
    visit.page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });
  /** Sizes of the files that wait at the console. */
  const waiting = () => readdirSync(join(visit.stage.home, 'uploads'));

  test('an upload survives kill -9 of the console and gets the CID of an ordinary add', async () => {
    const { page, stage } = visit;
    await visit.signUp('maker');
    await stage.auth.attachCard('maker', { brand: 'visa', last4: '4242' });
    await stage.auth.setQuota('maker', 2048 * MiB);
    const issued = await stage.auth.createKey('maker', { name: 'check' });
    key = `Basic ${Buffer.from(`${issued.key.id}:${issued.secret}`).toString('base64')}`;
    await page.reload();
    await visit.go('Files');
    await slow(60 * MiB);
    const offsets: number[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
    });
    await choose('film.bin');
    await row('film.bin')
      .getByText(/^[3-9]\d % of 300 MiB/)
      .waitFor({ timeout: 30_000 });
    const { port } = new URL(stage.console.url);
    await stage.console.stop('SIGKILL');
    const env = { CONSOLE_PORT: port, CAIRN_STORAGE_URL: stage.storage.url, CAIRN_GATEWAY_URL: stage.gateway.url };
    const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
    restarted = await startService({ main, home: stage.home, env });
    await row('film.bin')
      .getByText(/^Stored · 300 MiB/)
      .waitFor({ timeout: 60_000 });
    // No byte before the first 30 percent was sent twice.
    expect(offsets.filter((offset) => offset === 0)).toHaveLength(1);
    expect(waiting()).toEqual([]);
    const { Hash } = JSON.parse(await (await add('film.bin')).text()) as { readonly Hash: string };
    const pins = await (
      await fetch(`${stage.storage.url}/api/v0/pin/ls?type=recursive&names=true`, {
        method: 'POST',
        headers: { authorization: key },
      })
    ).json();
    expect(pins).toEqual({ Keys: { [Hash]: { Type: 'recursive', Name: 'film.bin' } } });
  });

  /** Adds a file without pinning it, to learn its CID. */
  async function add(name: string): Promise<Response> {
    const { openAsBlob } = await import('node:fs');
    const form = new FormData();
    form.append('file', await openAsBlob(join(directory, name)), name);
    return await fetch(`${visit.stage.storage.url}/api/v0/add?only-hash=true`, {
      method: 'POST',
      headers: { authorization: key },
      body: form,
    });
  }

  test('a reloaded tab continues the file when it is chosen again', async () => {
    const { page } = visit;
    await slow(60 * MiB);
    await choose('other.bin');
    await row('other.bin')
      .getByText(/^[3-9]\d % of 260 MiB/)
      .waitFor({ timeout: 30_000 });
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    expect(waiting()).toHaveLength(2);
    await slow(-1);
    const first = page.waitForRequest((request) => request.method() === 'PATCH');
    await choose('other.bin');
    expect(Number((await first).headers()['upload-offset'])).toBeGreaterThanOrEqual(64 * MiB);
    await row('other.bin')
      .getByText(/^Stored · 260 MiB/)
      .waitFor({ timeout: 60_000 });
    expect(waiting()).toEqual([]);
  });

  test('bad requests are refused before any byte', async () => {
    const { url } = visit.stage.console;
    const visitor = new Visitor(url);
    await visitor.signUp('guest', password);
    const tus = { 'x-cairn-console': '1', 'tus-resumable': '1.0.0' };
    const begin = (length: string) => visitor.ask('POST', 'tus', undefined, { ...tus, 'upload-length': length });
    expect(await begin('5')).toMatchObject({ status: 402, body: { error: { code: 'CARD_REQUIRED' } } });
    await visit.stage.auth.attachCard('guest', { brand: 'visa', last4: '4242' });
    await visit.stage.auth.setQuota('guest', MiB);
    for (const length of ['', '0', '-1', '1e400', 'long'])
      expect(await begin(length)).toMatchObject({ status: 400, body: { error: { code: 'VALUE_INVALID' } } });
    expect(await begin(String(2 * MiB))).toMatchObject({ status: 403, body: { error: { code: 'QUOTA_EXCEEDED' } } });
    expect(
      (await visitor.ask('POST', 'tus', undefined, { 'tus-resumable': '1.0.0', 'upload-length': '5' })).status,
    ).toBe(403);
    const made = await begin('5');
    expect([made.status, made.headers.get('access-control-allow-origin')]).toEqual([201, null]);
    const path = made.headers.get('location')?.slice('/api/'.length) ?? '';
    // The quota counts what is in transit.
    expect((await begin(String(MiB))).status).toBe(403);
    expect(await visitor.ask('POST', `${path}/add`, {})).toMatchObject({
      status: 409,
      body: { error: { code: 'UPLOAD_INCOMPLETE' } },
    });
    const patch = (offset: number, body: string) =>
      visitor.ask('PATCH', path, body, {
        ...tus,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
      });
    expect((await patch(3, 'lo')).status).toBe(409);
    expect((await patch(0, 'longer than announced')).status).toBeGreaterThanOrEqual(400);
    const other = new Visitor(url);
    await other.signUp('thief', password);
    const statusOf = async ({ cookie }: Visitor, method: string, below: string) =>
      (await fetch(`${url}/api/${below}`, { method, headers: { ...tus, cookie } })).status;
    for (const [method, below] of [
      ['HEAD', path],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/add`],
      ['HEAD', 'tus/..%2f..%2faccounts'],
    ] as const)
      expect([below, await statusOf(other, method, below)]).toEqual([below, 404]);
    expect([await statusOf(visitor, 'HEAD', path), await statusOf(visitor, 'DELETE', path)]).toEqual([200, 204]);
    expect(waiting()).toEqual([]);
  });

  test('an account has at most 16 unfinished uploads', async () => {
    const visitor = new Visitor(visit.stage.console.url);
    await visitor.signUp('hoarder', password);
    await visit.stage.auth.attachCard('hoarder', { brand: 'visa', last4: '4242' });
    const tus = { 'x-cairn-console': '1', 'tus-resumable': '1.0.0', 'upload-length': '5' };
    for (let count = 0; count < 16; count++)
      expect((await visitor.ask('POST', 'tus', undefined, tus)).status).toBe(201);
    expect((await visitor.ask('POST', 'tus', undefined, tus)).status).toBe(503);
  });
});
