import { readFileSync } from 'node:fs';
import { parsePlan } from '@cairn/metering';
import { expect, test } from '@jest/globals';
import { describeInBrowser, password, type } from './browser.ts';

describeInBrowser('the first hour in a browser', (visit) => {
  let key: { id: string; secret: string };

  const rpc = (method = 'eth_blockNumber') =>
    fetch(`${visit.stage.gateway.url}/v3/${key.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    });
  const kubo = (command: string) =>
    fetch(`${visit.stage.storage.url}/api/v0/${command}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}` },
    });

  test('the sign-up form keeps its text and focus while a person types slowly', async () => {
    await visit.page.goto(visit.stage.console.url);
    await visit.titled('Sign in · Cairn');
    expect(await visit.faults()).toEqual([]);
    await visit.page.getByRole('link', { name: 'Sign up' }).click();
    await type(visit.page.getByLabel('Account name'), 'browsing');
    // Longer than the polling interval of the page.
    await type(visit.page.getByLabel('E-mail'), 'ann@example.org', 400);
    expect(await visit.page.getByLabel('Account name').inputValue()).toBe('browsing');
    await visit.titled('Create an account · Cairn');
  });

  test('sign-up opens the console', async () => {
    await type(visit.page.locator('input[type=password]'), 'short');
    await visit.page.getByRole('button', { name: 'Sign up' }).click();
    await visit.page.getByRole('alert').getByText('expected 10 to 256 characters').waitFor();
    await type(visit.page.locator('input[type=password]'), password);
    await visit.page.getByRole('button', { name: 'Sign up' }).click();
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await visit.page.getByRole('region', { name: 'First steps' }).getByText('0 of 4').waitFor();
    expect(await visit.page.getByText('/v3/<API_KEY>').first().isVisible()).toBe(true);
    expect(await visit.faults()).toEqual([]);
    await visit.picture('first-steps');
    await visit.titled('Overview · Cairn');
    expect((await visit.stage.auth.account('browsing')).plan).toBe('free');
    const [cookie] = await visit.context.cookies();
    expect(cookie).toMatchObject({ name: 'cairn_session', httpOnly: true, sameSite: 'Strict' });
  });

  test('a new key shows its secret once, with code to paste', async () => {
    await visit.go('API keys');
    await visit.page.getByText('No keys yet').waitFor();
    await visit.page.getByRole('button', { name: 'Create a key' }).click();
    await visit.page.getByRole('dialog').getByLabel('Name').fill('website');
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const dialog = visit.page.getByRole('dialog', { name: 'Your key' });
    const [id, secret] = [dialog.getByLabel('Key', { exact: true }), dialog.getByLabel('Secret', { exact: true })];
    key = { id: await id.inputValue(), secret: await secret.inputValue() };
    expect(key.id).toMatch(/^ck_/);
    for (const name of ['curl', 'kubo-rpc-client', 'viem', 'ethers', 'web3.js', 'web3.py']) {
      await dialog.getByRole('tab', { name }).click();
      await dialog.getByRole('button', { name: `Copy for ${name}` }).click();
      const copied = await visit.page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(key.id);
      expect(copied).toContain(name === 'kubo-rpc-client' ? visit.stage.storage.url : visit.stage.gateway.url);
    }
    await visit.picture('key');
    expect(await visit.faults()).toEqual([]);
    await visit.page.keyboard.press('Escape');
    expect(await secret.inputValue()).toBe(key.secret);
    await dialog.getByRole('button', { name: 'I have copied the secret' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await visit.page.content()).not.toContain(key.secret);
    expect((await rpc()).status).toBe(200);
    expect((await kubo('version')).status).toBe(402);
  });

  test('a secret is rotated only after a confirmation', async () => {
    await visit.page.getByRole('button', { name: 'New secret' }).click();
    const question = visit.page.getByRole('dialog', { name: 'Create a new secret for website?' });
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    expect((await kubo('version')).status).toBe(402);
    await visit.page.getByRole('button', { name: 'New secret' }).click();
    await question.getByRole('button', { name: 'Create a new secret' }).click();
    const dialog = visit.page.getByRole('dialog', { name: 'Your key' });
    expect(await dialog.getByLabel('Secret', { exact: true }).inputValue()).not.toBe(key.secret);
    await dialog.getByRole('button', { name: 'I have copied the secret' }).click();
  });

  test('a key has the scope Send only after a person ticks it', async () => {
    await visit.page.getByRole('button', { name: 'Limits', exact: true }).click();
    const dialog = visit.page.getByRole('dialog');
    const send = dialog.getByRole('checkbox', { name: 'Send' });
    expect(await send.isChecked()).toBe(false);
    await send.click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await visit.page.getByRole('cell', { name: 'grants: send' }).waitFor();
  });

  test('a dropped file is read back with that key', async () => {
    await visit.go('Files');
    await visit.page.getByText('Storage needs a billing card').waitFor();
    await visit.stage.auth.attachCard('browsing', { brand: 'visa', last4: '4242' });
    await visit.page.reload();
    const bytes = Buffer.from('content of a browser').toString('base64');
    const transfer = await visit.page.evaluateHandle((text) => {
      const data = new DataTransfer();
      const content = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      data.items.add(new File([content], 'dropped.txt', { type: 'text/plain' }));
      return data;
    }, bytes);
    await visit.page.getByText('Drop files or folders here').dispatchEvent('drop', { dataTransfer: transfer });
    await visit.page.getByText('dropped.txt is stored.').waitFor({ state: 'attached' });
    await visit.page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'report.txt',
        mimeType: 'text/plain',
        buffer: Buffer.alloc(300_000, 'report '),
      });
    await visit.page.getByRole('cell', { name: 'report.txt', exact: true }).waitFor();
    await visit.page.getByRole('button', { name: 'Copy the CID of dropped.txt' }).click();
    const cid = await visit.page.evaluate(() => navigator.clipboard.readText());
    expect(await (await kubo(`cat?arg=${cid}`)).text()).toBe('content of a browser');
    await visit.page.getByLabel('Search files').fill('report');
    await visit.page.getByRole('cell', { name: 'dropped.txt', exact: true }).waitFor({ state: 'detached' });
    await visit.page.getByLabel('Search files').fill('');
    await visit.picture('files');
    expect(await visit.faults()).toEqual([]);
    await visit.page.getByRole('button', { name: 'Actions for dropped.txt' }).click();
    const download = visit.page.waitForEvent('download');
    await visit.page.getByRole('menuitem', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('dropped.txt');
    await visit.page.getByRole('button', { name: 'Actions for dropped.txt' }).click();
    await visit.page.getByRole('menuitem', { name: 'Unpin' }).click();
    await visit.page.getByRole('button', { name: 'Unpin it' }).click();
    await visit.page.getByRole('cell', { name: 'dropped.txt', exact: true }).waitFor({ state: 'detached' });
  });

  test('the chart shows the requests just made', async () => {
    await visit.go('Usage');
    await visit.page.getByTestId('total-requests').waitFor();
    for (let count = 0; count < 12; count++) await rpc();
    // One of the requests used the key before its rotation.
    await visit.page.getByRole('row', { name: /^eth_blockNumber 13 0 0 13 / }).waitFor({ timeout: 10_000 });
    expect(await visit.page.locator('.recharts-bar-rectangle path').count()).toBeGreaterThan(0);
    await visit.page.getByRole('button', { name: 'eth_blockNumber' }).click();
    await visit.page.getByText('13 requests, 0 failed').waitFor();
    await visit.page.getByRole('button', { name: 'Show all' }).click();
    await visit.page.getByText('13 requests, 0 failed').waitFor({ state: 'detached' });
    await visit.page.getByRole('tab', { name: 'By key' }).click();
    await visit.page.getByRole('cell', { name: 'website', exact: true }).waitFor();
    expect(await visit.faults()).toEqual([]);
    await visit.picture('usage');
  });

  test('the first steps end when all are done; the addresses stay', async () => {
    await visit.go('Overview');
    await visit.page.getByRole('region', { name: 'Connect' }).waitFor();
    expect(await visit.page.getByRole('region', { name: 'First steps' }).count()).toBe(0);
    await visit.page.getByRole('button', { name: 'Copy the address: JSON-RPC over WebSocket' }).click();
    const copied = await visit.page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`${visit.stage.gateway.url.replace('http', 'ws')}/ws/v3/${key.id}`);
    await visit.picture('overview');
  });

  test('a key shows its addresses again, without its secret', async () => {
    await visit.go('API keys');
    await visit.page.getByRole('button', { name: 'Connect' }).click();
    const dialog = visit.page.getByRole('dialog', { name: 'Connect with website' });
    await dialog.getByText(`${visit.stage.gateway.url}/v3/${key.id}`).first().waitFor();
    await dialog.getByText('<SECRET>').first().waitFor();
    expect(await visit.faults()).toEqual([]);
    await visit.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('a reached limit is shown', async () => {
    await visit.stage.plans.put(parsePlan({ name: 'tiny', title: 'Tiny', creditsPerDay: 1 }));
    await visit.stage.auth.setPlan('browsing', 'tiny');
    for (let tries = 0; (await rpc()).status !== 429; tries++) {
      if (tries === 100) throw new Error('the limit does not hold');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await visit.go('Usage');
    await visit.page.getByText(/[1-9]\d* refused by a limit/).waitFor({ timeout: 10_000 });
    await visit.go('Overview');
    await visit.page.getByText('Limits refused requests today').waitFor();
    await visit.page
      .getByText(/resets in \d+/)
      .first()
      .waitFor();
    await visit.page.getByLabel('Credits today: 100 percent of the limit').waitFor();
    await visit.stage.auth.setPlan('browsing', 'free');
    while ((await rpc()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  test('the request log explains each refusal and is exported', async () => {
    await visit.go('Usage');
    await visit.page.getByRole('tab', { name: 'Request log' }).click();
    expect(new URL(visit.page.url()).pathname).toBe('/usage/requests');
    const limited = visit.page.getByRole('row', { name: /eth_blockNumber.*limited creditsPerDay/ });
    await limited.first().waitFor();
    await visit.page.getByLabel('Outcome').selectOption('ok');
    await limited.first().waitFor({ state: 'detached' });
    await type(visit.page.getByLabel('Method'), 'add');
    await visit.page
      .getByRole('row', { name: /^add storage-api .* ok .* console/ })
      .first()
      .waitFor();
    await visit.page
      .getByRole('row', { name: /eth_blockNumber/ })
      .first()
      .waitFor({ state: 'detached' });
    const download = visit.page.waitForEvent('download');
    await visit.page.getByRole('link', { name: 'Export CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(1).every((line) => line.includes(',storage-api,add,'))).toBe(true);
    await visit.page.getByLabel('Outcome').selectOption('');
    await visit.page.getByLabel('Method').fill('');
    await limited.first().waitFor();
    expect(await visit.faults()).toEqual([]);
    await visit.picture('requests');
    await visit.page.getByRole('tab', { name: 'Refusals and origins' }).click();
    await visit.page.getByRole('row', { name: /^Credits a day .* eth_blockNumber .* at midnight UTC$/ }).waitFor();
    await visit.page.getByRole('row', { name: /^none \(servers and tools\)/ }).waitFor();
    expect(await visit.faults()).toEqual([]);
  });

  test('a range of dates is chosen by typing', async () => {
    await visit.page.getByRole('tab', { name: 'Charts' }).click();
    await visit.page.getByText('Dates', { exact: true }).click();
    await visit.page.getByText(/[1-9]\d* refused by a limit/).waitFor();
    const before = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);
    await visit.page.getByLabel('From (UTC)').fill(before);
    await visit.page.getByText(/[1-9]\d* refused by a limit/).waitFor();
    await visit.page.getByLabel('To (UTC)').fill('2001-01-01');
    await visit.page
      .getByRole('alert')
      .getByText(/expected a day that is not before/)
      .waitFor();
    expect(await visit.faults()).toEqual([]);
  });

  test('a revoked key gets 401 within a second', async () => {
    await visit.go('API keys');
    await visit.page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await visit.page.getByRole('button', { name: 'Revoke the key' }).click();
    await visit.page.getByText('Revoked. Requests with this key').waitFor();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await rpc()).status).toBe(401);
    expect((await kubo('version')).status).toBe(401);
    await visit.page.getByText('revoked', { exact: true }).waitFor();
  });

  test('no page logged an error or sent a request to another origin', () => {
    // The browser logs refusals of the API as errors. Those above are expected.
    expect(visit.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});
