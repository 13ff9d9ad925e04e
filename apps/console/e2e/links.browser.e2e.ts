import { expect, test } from '@jest/globals';
import { describeInBrowser } from './browser.ts';

describeInBrowser(
  'links to content in a browser',
  (visit) => {
    /** Adds files with a key of the account, wrapped in a folder. */
    const add = async (key: { id: string; secret: string }) => {
      const body = new FormData();
      body.append('file', new Blob(['the first page']), 'folder%2Ffirst.txt');
      body.append('file', new Blob(['the other page']), 'folder%2Fbelow%2Fother.txt');
      const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
      const url = `${visit.stage.storage.url}/api/v0/add?cid-version=1`;
      await (await fetch(url, { method: 'POST', headers: { authorization }, body })).text();
    };

    test('a folder without a key asks for one, and is shared with a key', async () => {
      const { page, stage } = visit;
      await visit.signUp('sharer');
      await stage.auth.attachCard('sharer', { brand: 'visa', last4: '4242' });
      const { key, secret } = await stage.auth.createKey('sharer', { name: 'reader' });
      await add({ id: key.id, secret });
      await stage.auth.revokeKey(key.id);
      await page.reload();
      await visit.go('Files');
      const share = async () => {
        await page.getByRole('button', { name: 'Actions for folder' }).click();
        await page.getByRole('menuitem', { name: 'Share or open in gateway' }).click();
      };
      await share();
      await page.getByRole('link', { name: 'Create a key' }).click();
      await page.getByRole('heading', { name: 'API keys' }).waitFor();
      await stage.auth.createKey('sharer', { name: 'links' });
      await visit.go('Files');
      await share();
      await page.getByRole('button', { name: 'Create the link' }).click();
      const link = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
      expect(await visit.faults()).toEqual([]);
      await visit.picture('share');
      // The link opens without a session, on another browser.
      const other = await visit.browser.newContext();
      const reader = await other.newPage();
      await reader.goto(link);
      await reader.getByRole('link', { name: 'first.txt' }).first().click();
      await reader.getByText('the first page').waitFor();
      await reader.goBack();
      await reader.getByRole('link', { name: 'below' }).first().click();
      await reader.getByRole('link', { name: 'other.txt' }).first().click();
      await reader.getByText('the other page').waitFor();
      const bare = await other.request.get(link.split('?')[0] ?? '', { headers: { cookie: '' } });
      expect(bare.status()).toBe(401);
      await other.close();
      // Another period needs another link.
      await page.getByRole('combobox', { name: 'Valid for' }).click();
      await page.getByRole('option', { name: '1 hour' }).click();
      await page.getByRole('button', { name: 'Create the link' }).click();
      const hour = new URL(await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue());
      expect(hour.href).not.toBe(link);
    });
  },
  {},
  {},
  { hasIpfsGateway: true },
);
