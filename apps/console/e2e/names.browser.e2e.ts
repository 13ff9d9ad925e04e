import { cidFor } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import { describeInBrowser, type } from './browser.ts';

describeInBrowser('IPNS names in a browser', (visit) => {
  const card = (name: string) => visit.page.getByRole('region', { name: `Name ${name}` });

  test('a name is created, published, published again and removed', async () => {
    const { page, stage } = visit;
    await visit.signUp('namer');
    await visit.go('Names');
    await page.getByText('Names need a billing card').waitFor();
    await stage.auth.attachCard('namer', { brand: 'visa', last4: '4242' });
    const { key, secret } = await stage.auth.createKey('namer', { name: 'adder' });
    const authorization = `Basic ${Buffer.from(`${key.id}:${secret}`).toString('base64')}`;
    const add = async (text: string) => {
      const body = new FormData();
      body.append('file', new Blob([text]));
      const url = `${stage.storage.url}/api/v0/add?cid-version=1`;
      return (
        (await (await fetch(url, { method: 'POST', headers: { authorization }, body })).json()) as { Hash: string }
      ).Hash;
    };
    await page.reload();
    await page.getByRole('button', { name: 'New name' }).click();
    await type(page.getByLabel('Name of the key'), 'website', 1);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await card('website').getByText('Not published.').waitFor();
    await card('website').getByText('/ipns/k51', { exact: false }).waitFor();
    expect(await visit.faults()).toEqual([]);
    for (const text of ['first', 'second']) {
      const cid = await add(text);
      await card('website').getByRole('button', { name: 'Publish' }).click();
      await type(page.getByLabel('CID or path'), cid, 1);
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await card('website').getByTitle(`/ipfs/${cid}`, { exact: true }).waitFor();
    }
    await visit.picture('names');
    await card('website').getByRole('button', { name: 'Publish' }).click();
    const absent = cidFor(new TextEncoder().encode('absent'), { codec: 'raw' }).toString();
    for (const [text, refusal] of [
      ['no cid', /invalid|expected/],
      [absent, /could not find/],
    ] as const) {
      await type(page.getByLabel('CID or path'), text, 1);
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('dialog').getByText(refusal).first().waitFor();
    }
    expect(await visit.faults()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.getByRole('button', { name: 'Remove website' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await card('website').waitFor({ state: 'detached' });
  });

  test('a name that exists already is refused in the dialog', async () => {
    const { page } = visit;
    for (const isFirst of [true, false]) {
      await page.getByRole('button', { name: 'New name' }).click();
      await type(page.getByLabel('Name of the key'), 'twice', 1);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      if (isFirst) await card('twice').waitFor();
    }
    await page
      .getByRole('dialog')
      .getByText(/already exists/)
      .waitFor();
  });
});
