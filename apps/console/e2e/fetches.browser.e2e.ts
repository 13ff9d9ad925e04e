import { cidFor } from '@cairn/cid';
import { beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser, type } from './browser.ts';

/** CID of a raw block, as `add?raw-leaves` returns it. */
const cidOf = (text: string) => cidFor(new TextEncoder().encode(text), { codec: 'raw' }).toString();

describeInBrowser(
  'fetches by CID in a browser',
  (visit) => {
    let key: { readonly id: string; readonly secret: string };
    const fetches = () => visit.page.getByRole('region', { name: 'Fetches' });
    const request = async (cid: string, name: string) => {
      await visit.page.getByRole('button', { name: 'Fetch by CID' }).click();
      await type(visit.page.getByRole('textbox', { name: 'CID', exact: true }), cid, 1);
      await type(visit.page.getByRole('textbox', { name: 'Name', exact: true }), name, 1);
      await visit.page.getByRole('button', { name: 'Fetch and pin' }).click();
    };

    beforeAll(async () => {
      await visit.signUp('fetcher');
      await visit.stage.auth.attachCard('fetcher', { brand: 'visa', last4: '4242' });
      const { key: created, secret } = await visit.stage.auth.createKey('fetcher', { name: 'other' });
      key = { id: created.id, secret };
      await visit.page.reload();
    });

    test('content that appears later becomes a pinned file', async () => {
      await visit.go('Files');
      await request(`ipfs://${cidOf('a late arrival')}`, 'late.txt');
      await fetches().getByText('late.txt').waitFor();
      await fetches().getByText('fetching').or(fetches().getByText('queued')).first().waitFor();
      expect(await visit.faults()).toEqual([]);
      await visit.picture('fetches');
      const body = new FormData();
      body.append('file', new Blob(['a late arrival']), 'late.txt');
      const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
      const url = `${visit.stage.storage.url}/api/v0/add?raw-leaves=true&cid-version=1&pin=false`;
      await (await fetch(url, { method: 'POST', headers: { authorization }, body })).text();
      await fetches().waitFor({ state: 'detached', timeout: 30_000 });
      await visit.page.getByRole('cell', { name: 'late.txt', exact: true }).waitFor();
    });

    test('absent content fails with a reason, and can be requested again and removed', async () => {
      await request(cidOf('never stored'), 'missing.txt');
      await fetches().getByText('Gave up', { exact: false }).waitFor({ timeout: 60_000 });
      await fetches().getByText('failed').waitFor();
      await fetches().getByRole('button', { name: 'Fetch missing.txt again' }).click();
      await fetches().getByText('failed').waitFor({ state: 'detached' });
      await fetches()
        .getByRole('button', { name: /(Stop|Remove) the fetch of missing.txt/ })
        .click();
      await fetches().waitFor({ state: 'detached' });
    });

    test('a text that is no CID is refused in the dialog', async () => {
      await request('not a cid', 'nothing');
      await visit.page.getByRole('dialog').getByText('CID', { exact: false }).first().waitFor();
      await visit.page
        .getByRole('dialog')
        .getByText(/not a cid/)
        .waitFor();
      expect(await visit.faults()).toEqual([]);
      await visit.page.getByRole('button', { name: 'Cancel' }).click();
    });

    test('a webhook is refused, created with a secret that is shown once, and removed', async () => {
      await visit.page.getByRole('tab', { name: 'Webhook and peers' }).click();
      const card = visit.page.getByRole('region', { name: 'Webhook' });
      await type(card.getByRole('textbox', { name: 'URL' }), 'http://service.example/hook', 1);
      await card.getByRole('button', { name: 'Create', exact: true }).click();
      await card.getByText(/Use https:/).waitFor();
      await type(card.getByRole('textbox', { name: 'URL' }), 'https://service.example/hook', 1);
      await card.getByRole('button', { name: 'Create', exact: true }).click();
      await card.getByText(/^whsec_/).waitFor();
      expect(await visit.faults()).toEqual([]);
      await visit.page.reload();
      await card.getByRole('button', { name: 'Remove the webhook' }).click();
      expect(await card.getByText(/^whsec_/).count()).toBe(0);
      await visit.page.getByRole('button', { name: 'Remove it' }).click();
      await card.getByRole('button', { name: 'Create', exact: true }).waitFor();
    });

    test('a member lets IPFS peers fetch the files of the account, and withdraws it', async () => {
      const card = visit.page.getByRole('region', { name: 'IPFS peers' });
      const allowed = card.getByRole('switch', { name: 'Let IPFS peers fetch the files of this account' });
      const stored = async () => (await visit.stage.auth.account('fetcher')).servesPeers ?? false;
      expect([await allowed.isChecked(), await stored()]).toEqual([false, false]);
      await allowed.click();
      await visit.page.getByText('Saved. The IPFS peer applies it', { exact: false }).waitFor();
      expect(await stored()).toBe(true);
      expect(await visit.faults()).toEqual([]);
      await visit.page.reload();
      await card.locator('input:checked').waitFor({ state: 'attached' });
      await allowed.click();
      await card.locator('input:not(:checked)').waitFor({ state: 'attached' });
      await visit.page.getByText('Saved. The IPFS peer applies it', { exact: false }).waitFor();
      expect(await stored()).toBe(false);
    });

    test('the page fits a phone', async () => {
      await visit.page.getByRole('tab', { name: 'All files' }).click();
      await visit.page.setViewportSize({ width: 390, height: 844 });
      await request(cidOf('on a phone'), 'a name that is much longer than the screen of a phone is wide.txt');
      await fetches().getByText('a name that', { exact: false }).waitFor();
      await visit.page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    });
  },
  {},
  { STORAGE_PIN_EXPIRY_SECONDS: '12' },
);
