import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser, type } from './browser.ts';

const MiB = 1024 * 1024;

describeInBrowser('uploads in a browser', (visit) => {
  let directory: string;
  let key: { readonly id: string; readonly secret: string };

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'cairn-uploads-'));
    for (const path of ['site', 'site/pictures', 'site/empty']) mkdirSync(join(directory, path));
    writeFileSync(join(directory, 'site/index.html'), '<h1>home</h1>');
    writeFileSync(join(directory, 'site/50%20 + more.txt'), 'a name with signs');
    writeFileSync(join(directory, 'site/pictures/one.txt'), 'first picture');
    writeFileSync(join(directory, 'site/.DS_Store'), 'of the desktop');
    writeFileSync(join(directory, 'long.bin'), Buffer.alloc(12 * MiB, 'long '));
    writeFileSync(join(directory, 'twice.bin'), Buffer.alloc(8 * MiB, 'twice '));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const kubo = async (command: string, body?: FormData) => {
    const credentials = Buffer.from(`${key.id}:${key.secret}`).toString('base64');
    const init = { method: 'POST', headers: { authorization: `Basic ${credentials}` }, ...(body && { body }) };
    return await (await fetch(`${visit.stage.storage.url}/api/v0/${command}`, init)).text();
  };
  /** Limits the upload rate of the browser, in bytes per second. 0: no limit. */
  const slow = async (uploadThroughput: number) => {
    const session = await visit.context.newCDPSession(visit.page);
    const isSlow = uploadThroughput > 0;
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: isSlow ? uploadThroughput : -1,
    });
  };
  /** Drops files or folders from the disk. */
  const drop = async (...paths: string[]) => {
    const box = await visit.page.getByText('Drop files or folders here').boundingBox();
    if (box === null) throw new Error('the drop area is not visible');
    const session = await visit.context.newCDPSession(visit.page);
    const files = paths.map((path) => join(directory, path));
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', {
        type,
        x: box.x + 5,
        y: box.y + 5,
        data: { items: [], files, dragOperationsMask: 1 },
      });
  };
  const panel = () => visit.page.getByRole('region', { name: 'Uploads' });
  const row = (name: string) => panel().getByRole('listitem').filter({ hasText: name });

  test('signs up and attaches a card', async () => {
    await visit.signUp('sender');
    await visit.stage.auth.attachCard('sender', { brand: 'visa', last4: '4242' });
    const issued = await visit.stage.auth.createKey('sender', { name: 'uploads' });
    key = { id: issued.key.id, secret: issued.secret };
    await visit.page.reload();
    await visit.go('Files');
  });

  test('a dropped folder becomes one directory with its tree', async () => {
    await drop('site');
    await row('site').getByText('Stored · 3 files').waitFor();
    const link = visit.page.getByRole('cell').getByRole('link', { name: 'site' });
    await link.waitFor();
    const cid = (await link.getAttribute('href'))?.split('/').at(-1) ?? '';
    // Equal to `ipfs add -r`: every file and the empty folder, without desktop files.
    const listed = JSON.parse(await kubo(`ls?arg=${cid}`)) as {
      Objects: { Links: { Name: string; Type: number }[] }[];
    };
    expect(listed.Objects[0]?.Links.map(({ Name, Type }) => [Name, Type])).toEqual([
      ['50%20 + more.txt', 2],
      ['empty', 1],
      ['index.html', 2],
      ['pictures', 1],
    ]);
    expect(await kubo(`cat?arg=${cid}/pictures/one.txt`)).toBe('first picture');
    await link.click();
    await visit.page.getByRole('heading', { name: 'site' }).waitFor();
    await visit.titled('Files · Cairn');
    expect(await visit.faults()).toEqual([]);
    await visit.page.getByRole('link', { name: 'pictures' }).click();
    await visit.page.getByRole('link', { name: 'one.txt' }).waitFor();
    const opened = visit.context.waitForEvent('page');
    await visit.page.getByRole('link', { name: 'one.txt' }).click();
    const shown = await opened;
    await shown.getByText('first picture').waitFor();
    await shown.close();
    const download = visit.page.waitForEvent('download');
    await visit.page.getByRole('link', { name: 'Download as tar' }).click();
    expect((await download).suggestedFilename()).toBe('pictures.tar');
    await visit.page.getByRole('navigation').getByRole('link', { name: 'Files' }).click();
  });

  test('the folder input gives the same CID when no folder is empty', async () => {
    rmSync(join(directory, 'site/empty'), { recursive: true });
    await visit.page.locator('input[webkitdirectory]').setInputFiles(join(directory, 'site'));
    await visit.page.getByRole('cell').getByRole('link', { name: 'site' }).nth(1).waitFor();
    await drop('site');
    await row('site').getByText('Stored · 3 files').nth(2).waitFor();
    // The third upload has the CID of the second: there are two pins.
    expect(await visit.page.getByRole('cell').getByRole('link', { name: 'site' }).count()).toBe(2);
  });

  test('an upload continues on other pages with percent and rate, and the tab warns before it closes', async () => {
    await slow(2 * MiB);
    await visit.page.locator('input[aria-label="Choose files"]').setInputFiles(join(directory, 'long.bin'));
    await row('long.bin')
      .getByText(/^[1-9]\d? % of 12\.0 MiB · .+\/s · .+ left/)
      .waitFor();
    await visit.go('Overview');
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await row('long.bin').getByRole('progressbar').waitFor();
    let question = '';
    visit.page.once('dialog', (dialog) => {
      question = dialog.type();
      void dialog.dismiss();
    });
    await visit.page.close({ runBeforeUnload: true });
    await row('long.bin').getByText('Stored · 12.0 MiB').waitFor({ timeout: 30_000 });
    expect(question).toBe('beforeunload');
    await slow(0);
    await visit.go('Files');
    await visit.page.getByRole('cell', { name: 'long.bin', exact: true }).waitFor();
  });

  test('a cancelled upload can be retried', async () => {
    await slow(MiB);
    await visit.page.locator('input[aria-label="Choose files"]').setInputFiles(join(directory, 'twice.bin'));
    await row('twice.bin')
      .getByText(/^\d+ % of/)
      .waitFor();
    await panel().getByRole('button', { name: 'Cancel twice.bin' }).click();
    await row('twice.bin').getByText('Cancelled. Nothing was stored.').waitFor();
    expect(await visit.faults()).toEqual([]);
    await slow(0);
    await panel().getByRole('button', { name: 'Retry twice.bin' }).click();
    await row('twice.bin').getByText('Stored · 8.0 MiB').waitFor();
    await panel().getByRole('button', { name: 'Clear' }).click();
    await panel().waitFor({ state: 'detached' });
  });

  test('files added by API show their pin name, else their add name, else their CID, and can be renamed', async () => {
    const form = (name?: string) => {
      const data = new FormData();
      data.append('file', new Blob([`content of ${name}`]), name);
      return data;
    };
    await kubo('add', form('from the API.txt'));
    await kubo('add?pin-name=Chosen', form('unseen.txt'));
    const nameless = JSON.parse(await kubo('add', form(''))) as { Hash: string };
    await visit.page.reload();
    await visit.page.getByRole('cell', { name: 'from the API.txt', exact: true }).waitFor();
    await visit.page.getByRole('cell', { name: 'Chosen', exact: true }).waitFor();
    expect(await visit.page.getByText('unseen.txt').count()).toBe(0);
    const short = `${nameless.Hash.slice(0, 14)}…${nameless.Hash.slice(-4)}`;
    await visit.page.getByRole('button', { name: `Actions for ${short}` }).click();
    await visit.page.getByRole('menuitem', { name: 'Rename' }).click();
    const dialog = visit.page.getByRole('dialog', { name: 'Rename' });
    expect(await visit.faults()).toEqual([]);
    await type(dialog.getByLabel('Name'), 'Minutes of May');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await visit.page.getByRole('cell', { name: 'Minutes of May', exact: true }).waitFor();
    const pins = await kubo(`pin/ls?names=true&arg=${nameless.Hash}`);
    expect(JSON.parse(pins)).toMatchObject({ Keys: { [nameless.Hash]: { Name: 'Minutes of May' } } });
  });

  test('no page logged an error', () => {
    expect(visit.complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
  });
});
