import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { cidFor } from '@cairn/cid';
import { openLmdbPinStore } from '@cairn/pinning';
import { expect, test } from '@jest/globals';
import { describeInBrowser, type } from './browser.ts';

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const manyPins = 100_000;

// No IPFS gateway: port 9 of this machine does not answer.
describeInBrowser(
  'files in a browser',
  (visit) => {
    let key: { readonly id: string; readonly secret: string };
    const rows = () => visit.page.getByRole('table').first().getByRole('row');
    const namesOnPage = async () =>
      (await rows().locator('td:nth-child(2)').allInnerTexts())
        .map((text) => text.trim())
        .filter((text) => text !== '');
    const add = async (name: string, content: Uint8Array<ArrayBuffer> | string, options = '') => {
      const body = new FormData();
      body.append('file', new Blob([content]), encodeURIComponent(name));
      const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
      const url = `${visit.stage.storage.url}/api/v0/add?cid-version=1&quieter=true${options}`;
      const lines = (await (await fetch(url, { method: 'POST', headers: { authorization }, body })).text()).trim();
      return (JSON.parse(lines.split('\n').at(-1) ?? '') as { Hash: string }).Hash;
    };
    const drawer = () => visit.page.getByRole('dialog');

    test('signs up with a card and adds files', async () => {
      await visit.signUp('librarian');
      const { auth } = visit.stage;
      await auth.attachCard('librarian', { brand: 'visa', last4: '4242' });
      const issued = await auth.createKey('librarian', { name: 'adder' });
      key = { id: issued.key.id, secret: issued.secret };
      await add('Beta.txt', 'the text of beta\n'.repeat(10_000));
      await add('alpha.png', png);
      await add('gamma.bin', randomBytes(700_000), '&chunker=size-262144');
      await visit.page.reload();
      await visit.go('Files');
      await visit.page.getByRole('button', { name: 'alpha.png', exact: true }).waitFor();
    });

    test('columns sort in both directions', async () => {
      expect(await namesOnPage()).toEqual(['gamma.bin', 'alpha.png', 'Beta.txt']);
      const sorted = async (column: string, order: 'ascending' | 'descending') => {
        await visit.page.getByRole('button', { name: column, exact: true }).click();
        await visit.page.locator(`th[aria-sort=${order}]`).getByText(column).waitFor();
      };
      await sorted('Name', 'ascending');
      await visit.page.waitForFunction(
        () => document.querySelector('tbody td:nth-child(2)')?.textContent === 'alpha.png',
      );
      expect(await namesOnPage()).toEqual(['alpha.png', 'Beta.txt', 'gamma.bin']);
      await sorted('Size', 'descending');
      await visit.page.waitForFunction(
        () => document.querySelector('tbody td:nth-child(2)')?.textContent === 'gamma.bin',
      );
      await sorted('Size', 'ascending');
      await visit.page.waitForFunction(
        () => document.querySelector('tbody td:nth-child(2)')?.textContent === 'alpha.png',
      );
      expect(await namesOnPage()).toEqual(['alpha.png', 'Beta.txt', 'gamma.bin']);
      expect(await visit.faults()).toEqual([]);
    });

    test('details show a preview, the CID in each form, and the blocks', async () => {
      const { page } = visit;
      await page.getByRole('button', { name: 'alpha.png', exact: true }).click();
      const image = drawer().getByRole('img', { name: 'Preview of alpha.png' });
      await image.waitFor();
      expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
      await drawer().getByText('Version 1, base36').waitFor();
      await drawer().getByText('raw, sha2-256').waitFor();
      expect(await visit.faults()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Beta.txt', exact: true }).click();
      await drawer().getByRole('region', { name: 'Preview of Beta.txt' }).getByText('the text of beta').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'gamma.bin', exact: true }).click();
      await drawer().getByText('dag-pb, sha2-256').waitFor();
      await drawer().getByText('Version 0').waitFor();
      await drawer().getByRole('button', { name: 'Links of root' }).click();
      expect(await drawer().getByRole('listitem').count()).toBeGreaterThanOrEqual(1);
      await drawer().getByText('256 KiB').first().waitFor();
      expect(await drawer().getByRole('listitem').count()).toBe(4);
      await drawer()
        .getByRole('button', { name: /^Links of bafk/ })
        .first()
        .click();
      await drawer().getByText('No links: this block holds data only.').waitFor();
      await visit.picture('file');
      await page.keyboard.press('Escape');
    });

    test('content is read by ranges', async () => {
      const cid = await add('movie.mp4', Buffer.from('0123456789'));
      const read = (range: string, path = `/api/files/${cid}?name=movie.mp4`) =>
        visit.page.evaluate(
          async ([url, header]) => {
            const answer = await fetch(url ?? '', { headers: { range: header ?? '' } });
            const names = ['content-range', 'content-length', 'content-type', 'accept-ranges'];
            return [answer.status, await answer.text(), ...names.map((name) => answer.headers.get(name))];
          },
          [path, range] as const,
        );
      expect(await read('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10', '3', 'video/mp4', 'bytes']);
      expect(await read('bytes=-3')).toEqual([206, '789', 'bytes 7-9/10', '3', 'video/mp4', 'bytes']);
      expect((await read('bytes=0-1,4-5')).slice(0, 2)).toEqual([200, '0123456789']);
      const [status, text, contentRange] = await read('bytes=10-');
      expect([status, contentRange]).toEqual([416, 'bytes */10']);
      expect(JSON.parse(String(text))).toMatchObject({ error: { code: 'RANGE_INVALID' } });
      visit.complaints.length = 0;
    });

    test('without an IPFS gateway the share dialog says how to get one, and offers no link', async () => {
      const { page } = visit;
      await page.getByRole('button', { name: 'Actions for alpha.png' }).click();
      await page.getByRole('menuitem', { name: 'Share or open in gateway' }).click();
      await drawer().getByText('none is deployed here').waitFor();
      expect(await drawer().getByRole('button', { name: 'Create the link' }).count()).toBe(0);
      expect(await visit.faults()).toEqual([]);
      await drawer().getByRole('button', { name: 'Close' }).click();
    });

    test('several chosen files are unpinned together', async () => {
      const { page } = visit;
      await page.reload();
      await page.getByRole('checkbox', { name: 'Choose gamma.bin' }).click();
      await page.getByRole('checkbox', { name: 'Choose movie.mp4' }).click();
      await page.getByRole('region', { name: 'Chosen files' }).getByText('2 chosen').waitFor();
      expect(await visit.faults()).toEqual([]);
      await page.getByRole('region', { name: 'Chosen files' }).getByRole('button', { name: 'Unpin' }).click();
      await drawer().getByText('Unpin 2 files?').waitFor();
      await drawer().getByRole('button', { name: 'Unpin them' }).click();
      await page.getByText('2 files unpinned.').waitFor();
      await page.getByText('2 pins hold').waitFor();
      expect((await namesOnPage()).sort()).toEqual(['Beta.txt', 'alpha.png']);
    });

    test('100,000 files are paged, sorted and searched', async () => {
      const { page, stage } = visit;
      const account = (await stage.auth.account('librarian')).id;
      const pins = await openLmdbPinStore({ directory: join(stage.home, 'pins') });
      for (let at = 0; at < manyPins; at += 1000)
        await pins.put(
          account,
          Array.from({ length: 1000 }, (_, below) => ({
            cid: cidFor(Buffer.from(`content ${at + below}`), { codec: 'raw' }),
            mode: 'recursive' as const,
            name: `file ${String(at + below).padStart(6, '0')}.dat`,
            createdAt: Date.UTC(2026, 0, 1) + at + below,
            size: { blocks: 1, bytes: at + below },
          })),
        );
      await pins.close();
      page.setDefaultTimeout(30_000);
      await page.reload();
      await page.getByText('100,002 pins hold').waitFor();
      await page.getByRole('button', { name: 'Name', exact: true }).click();
      await page.getByRole('button', { name: 'Page 2001' }).click();
      await page.getByRole('button', { name: 'file 099999.dat', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Page 2000' }).click();
      await page.getByRole('button', { name: 'file 099950.dat', exact: true }).waitFor();
      await type(page.getByRole('textbox', { name: 'Search files' }), 'FILE 04242');
      await page.getByText('10 found.').waitFor();
      expect((await namesOnPage())[0]).toBe('file 042420.dat');
      const cid = cidFor(Buffer.from('content 77777'), { codec: 'raw' }).toString();
      await page.getByRole('textbox', { name: 'Search files' }).fill(cid);
      await page.getByText('1 found.').waitFor();
      expect(await namesOnPage()).toEqual(['file 077777.dat']);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('region', { name: 'file 077777.dat' }).waitFor();
      await page.getByRole('textbox', { name: 'Search files' }).fill('');
      await page.getByRole('combobox', { name: 'Order of the files' }).click();
      await page.getByRole('option', { name: 'Largest first' }).click();
      await page.getByRole('button', { name: 'Page 2', exact: true }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      expect(await visit.faults()).toEqual([]);
      expect(visit.complaints).toEqual([]);
    });
  },
  { IPFS_GATEWAY_PORT: '9' },
  {},
  { hasIpfsGateway: false },
);
