import { randomFillSync } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePlan } from '@cairn/metering';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser, type Visit } from './browser.ts';

const MiB = 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'cairn-refused-'));
/** Longer than the send buffers of browser and system. */
const longFile = join(directory, 'long.bin');

beforeAll(() => {
  const file = openSync(longFile, 'w');
  for (let part = 0; part < 200; part++) writeSync(file, randomFillSync(Buffer.alloc(MiB)));
  closeSync(file);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Row of the long file in the queue. */
function rowOf({ page }: Visit) {
  return page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: 'long.bin' });
}

async function choose({ page }: Visit): Promise<void> {
  const panel = page.getByRole('region', { name: 'Uploads' });
  if (await panel.isVisible()) {
    await panel.getByRole('button', { name: 'Clear' }).click();
    await panel.waitFor({ state: 'detached' });
  }
  await page.locator('input[aria-label="Choose files"]').setInputFiles(longFile);
}

/** Waits for the reason in the row, and requires that retry and file choice are available. */
async function refused(visit: Visit, reason: string | RegExp): Promise<void> {
  await rowOf(visit).getByText(reason).waitFor({ timeout: 30_000 });
  await rowOf(visit).getByRole('button', { name: 'Retry long.bin' }).waitFor();
  expect(await visit.page.getByRole('button', { name: 'Choose files' }).isEnabled()).toBe(true);
}

describeInBrowser(
  'refused uploads in a browser',
  (visit) => {
    test('an upload without a card shows a link to billing', async () => {
      await visit.signUp('refused');
      await visit.go('Files');
      await visit.page.getByText('Storage needs a billing card').waitFor();
      await visit.stage.auth.attachCard('refused', { brand: 'visa', last4: '4242' });
      await visit.page.reload();
      await visit.page.getByRole('button', { name: 'Choose files' }).waitFor();
      await visit.stage.auth.removeCard('refused');
      await choose(visit);
      await refused(visit, /needs one, on the free plan too/);
      await rowOf(visit).getByRole('link', { name: 'Attach a card' }).waitFor();
      await visit.stage.auth.attachCard('refused', { brand: 'visa', last4: '4242' });
    });

    test('a file over quota is refused before and during the transfer', async () => {
      await visit.stage.auth.setQuota('refused', 64 * MiB);
      await choose(visit);
      await refused(visit, '"long.bin" has 200 MiB; 64.0 MiB are left of the quota of 64.0 MiB.');
      // A retry skips the quota check, since stored content takes no room. The 403 arrives during the transfer.
      await rowOf(visit).getByRole('button', { name: 'Retry long.bin' }).click();
      await refused(visit, 'The upload exceeds the quota of 64.0 MiB.');
      expect(await visit.faults()).toEqual([]);
      await visit.stage.auth.setQuota('refused', undefined);
    });

    test('the 403 reaches a browser that is still sending', async () => {
      await visit.stage.auth.setQuota('refused', 100 * 1024);
      const answer = await visit.page.evaluate(
        (length) =>
          new Promise<{ status: number; text: string }>((resolve) => {
            const request = new XMLHttpRequest();
            request.open('POST', '/api/files');
            request.setRequestHeader('x-cairn-console', '1');
            request.onloadend = () => resolve({ status: request.status, text: request.responseText });
            const form = new FormData();
            form.set('file', new Blob([new Uint8Array(length)]), 'zeros.bin');
            request.send(form);
          }),
        200 * MiB,
      );
      expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('QUOTA_EXCEEDED') });
    });

    test('a file over the length limit is refused before the transfer', async () => {
      await visit.stage.auth.setQuota('refused', 10 * 1024 * MiB);
      const [lengthened] = [join(directory, 'longer.bin')];
      const file = openSync(lengthened, 'w');
      writeSync(file, Buffer.alloc(1), 0, 1, 300 * MiB);
      closeSync(file);
      await visit.page.locator('input[aria-label="Choose files"]').setInputFiles(lengthened);
      await visit.page.getByText('"longer.bin" has 300 MiB; an upload has 256 MiB at most.').first().waitFor();
    });

    test('an upload over the daily bytes reports the name of the limit', async () => {
      await visit.stage.plans.put(parsePlan({ name: 'thin', bytesInPerDay: 20 * MiB }));
      await visit.stage.auth.setPlan('refused', 'thin');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await choose(visit);
      await refused(visit, /The limit bytesInPerDay of the plan "thin" is reached: 20971520 bytes received a day/);
      await visit.stage.auth.setPlan('refused', 'free');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    });

    test('a full store is reported with advice', async () => {
      await choose(visit);
      await refused(
        visit,
        'The store of the service is full. Ask the operator of this service for more space, then retry.',
      );
    });

    test('a session that ends during a transfer shows the sign-in form and keeps the file', async () => {
      await visit.page.getByRole('button', { name: 'Clear' }).click();
      await visit.context.clearCookies();
      await visit.page.locator('input[aria-label="Choose files"]').setInputFiles(longFile);
      await visit.page.getByRole('button', { name: 'Sign in' }).waitFor({ timeout: 15_000 });
    });
  },
  { CAIRN_UPLOAD_BYTES_MAX: String(256 * MiB) },
  { CAIRN_UPLOAD_BYTES_MAX: String(256 * MiB), STORAGE_BYTES_MAX: String(150 * MiB) },
);

const answers = {
  408: {
    Message: '12 bytes of the body arrived within 30 s; send at least 30720 in that time',
    shown: /^Not stored\. 12 bytes of the body arrived/,
  },
  413: {
    Message: 'the upload is longer than 10 bytes, the limit of this service',
    shown: /The upload is longer than 10 bytes/,
  },
  429: {
    Message: '64 uploads are under way, the most allowed; try again in a moment',
    shown: /64 uploads are under way, the most allowed; try again in a moment\./,
  },
  500: { Message: 'internal error; the log has it', shown: /Internal error/ },
  503: { Message: 'the store is closed', shown: /The store is closed\. Retry in a moment\./ },
} as const;
let status: keyof typeof answers = 408;
let storage: Server | undefined;

/** Stand-in for a storage API that refuses an add in the middle of its body and stops reading. */
async function refusingStorage(): Promise<string> {
  storage = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (!request.url?.startsWith('/api/v0/add')) {
      request.resume();
      return void response.end(JSON.stringify({ RepoSize: 0, StorageMax: 1e12 }));
    }
    let received = 0;
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received < 8 * MiB || response.headersSent) return;
      response.writeHead(status, { connection: 'keep-alive', ...(status === 500 && { 'x-cairn-fault': '1' }) });
      response.end(JSON.stringify({ Message: answers[status].Message, Code: 0, Type: 'error' }));
      request.pause();
    });
  });
  await new Promise<void>((resolve) => storage?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;
}

const refusing = await refusingStorage();
afterAll(() => {
  storage?.closeAllConnections();
  storage?.close();
});

describeInBrowser(
  'uploads refused by the storage API during the transfer',
  (visit) => {
    test('signs up and attaches a card', async () => {
      await visit.signUp('unlucky');
      await visit.stage.auth.attachCard('unlucky', { brand: 'visa', last4: '4242' });
      await visit.page.reload();
      await visit.go('Files');
      // The form of a page that still reads the card is replaced with its uploads.
      await visit.page.getByRole('button', { name: 'Choose files' }).waitFor();
    });

    test.each(Object.keys(answers).map(Number) as (keyof typeof answers)[])(
      'the page shows the reason of status %d',
      async (given) => {
        status = given;
        await choose(visit);
        await refused(visit, answers[given].shown);
      },
    );
  },
  { CAIRN_STORAGE_URL: refusing },
);
