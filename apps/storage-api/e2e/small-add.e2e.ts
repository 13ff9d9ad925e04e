import { parseCid } from '@cairn/cid';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask as askRaw, joinedChunks } from './raw-exchange.ts';
import { basic, Service } from './service.ts';

// An add of one small file takes the fast path (src/api-v0/add/small-add.ts). With `Connection: close` it takes the other one.
const service = new Service();
const start = () => service.start({ STORAGE_QUOTA_BYTES: '300000', STORAGE_API_ADMIN_PORT: '0' });
beforeAll(async () => {
  await service.makeAccounts();
  await start();
});
afterAll(() => service.remove());

const disposition = 'Content-Disposition: form-data; name="file"; filename="f.txt"';
const type = 'Content-Type: application/octet-stream';
const form = (content: string, headers = [disposition, type]) =>
  `--b\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${content}\r\n--b--\r\n`;

function requestOf(
  path: string,
  body: string,
  { authorization = basic('ann'), connection = 'keep-alive', more = '' } = {},
): string {
  const fields = `host: a\r\nauthorization: ${authorization}\r\nconnection: ${connection}\r\n${more}`;
  const content = `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return `POST /api/v0/${path} HTTP/1.1\r\n${fields}${content}\r\n${body}`;
}

const close = 'POST /api/v0/version HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
const ask = (request: string) => askRaw(service.url, request, close);

/** Sends a request on both paths, the fast one first. */
async function askBoth(path: string, body: string, options = {}) {
  const fast = await ask(requestOf(path, body, options));
  const full = await ask(requestOf(path, body, { ...options, connection: 'close' }));
  expect(full.isFast).toBe(false);
  return { fast, full };
}

async function command(path: string, account = 'ann') {
  const response = await fetch(`${service.url}/api/v0/${path}`, {
    method: 'POST',
    headers: { authorization: basic(account) },
  });
  return await response.text();
}

describe('add on both paths', () => {
  test.each([
    ['an empty file', 'add', form('')],
    ['a word', 'add', form('hello')],
    ['a raw leaf', 'add?cid-version=1&pin=true&progress=false', form('raw leaf')],
    ['raw leaves of version 0', 'add?raw-leaves=true&stream-channels=true', form('raw leaf of version 0')],
    ['the longest file', 'add?cid-version=1', form('y'.repeat(60_000))],
    [
      'a name in UTF-8',
      'add',
      form('named', ['Content-Disposition: form-data; name="file"; filename="%C3%A9 b"', type]),
    ],
    ['content that looks like a boundary', 'add', form('x\r\n--a\r\n--\r\n-b')],
  ])('returns equal responses for %s', async (_, path, body) => {
    const { fast, full } = await askBoth(path, body);
    expect(fast.isFast).toBe(true);
    expect([fast.status, joinedChunks(fast)]).toEqual([full.status, joinedChunks(full)]);
    expect({ ...fast.fields, 'keep-alive': '' }).toEqual({ ...full.fields, 'keep-alive': '' });
  });

  test.each([
    ['two files', 'add', `${form('a').replace('--b--\r\n', '')}${form('b')}`],
    ['a directory', 'add', form('', [disposition, 'Content-Type: application/x-directory'])],
    ['a path', 'add', form('deep', ['Content-Disposition: form-data; name="file"; filename="a%2Fb"', type])],
    ['no name', 'add', form('nameless', ['Content-Disposition: form-data; name="file"', type])],
    ['a mode', 'add', form('mode', ['Content-Disposition: form-data; name="file?mode=0644"; filename="m"', type])],
    ['another option', 'add?wrap-with-directory=true', form('wrapped')],
    ['text after the last boundary', 'add', `${form('text')}more`],
    ['a body without an end', 'add', form('cut').slice(0, -6)],
    ['refused options', 'add?cid-version=0&raw-leaves=maybe', form('refused')],
  ])('leaves to the other path: %s', async (_, path, body) => {
    const { fast, full } = await askBoth(path, body);
    expect(fast.isFast).toBe(false);
    expect([fast.status, fast.body]).toEqual([full.status, full.body]);
  });

  test.each([
    ['a wrong secret', { authorization: basic('ann', 'wrong') }],
    ['no credentials', { authorization: '' }],
    ['a page of another origin', { more: 'user-agent: Mozilla/5.0\r\n' }],
  ])('returns the same error for %s', async (_, options) => {
    const { fast, full } = await askBoth('add', form('refused'), options);
    expect([fast.isFast, fast.status, fast.body]).toEqual([false, full.status, full.body]);
    expect(fast.status).not.toContain('200');
  });
});

test('an add on the fast path is pinned under its name, and survives a kill of the service', async () => {
  const answer = await ask(requestOf('add?cid-version=1', form('durable'), { authorization: basic('bob') }));
  expect(answer.isFast).toBe(true);
  const { Hash } = JSON.parse(joinedChunks(answer));
  await service.stop('SIGKILL');
  const account = await service.accountId('bob');
  const pins = await (await service.stores()).pins();
  expect(await pins.get(account, parseCid(Hash))).toMatchObject({
    mode: 'recursive',
    name: undefined,
    addedAs: 'f.txt',
  });
  await pins.close();
  await start();
  expect(await command(`cat?arg=${Hash}`, 'bob')).toBe('durable');
});

test('an add over the quota is refused on both paths in the same words', async () => {
  for (let count = 0; count < 6; count++)
    await ask(requestOf('add', form(`${count}`.repeat(50_000)), { authorization: basic('bob') }));
  const { fast, full } = await askBoth('add', form('q'.repeat(60_000)), { authorization: basic('bob') });
  expect([fast.isFast, fast.status, joinedChunks(fast)]).toEqual([true, full.status, joinedChunks(full)]);
  expect(JSON.parse(joinedChunks(fast)).Message).toContain('quota');
  expect({ ...fast.fields, 'keep-alive': '' }).toEqual({ ...full.fields, 'keep-alive': '' });
});

test('requests on the fast path are counted once', async () => {
  const before = await service.requestsOf('add');
  for (let count = 0; count < 3; count++) await ask(requestOf('add', form(`count ${count}`)));
  expect((await service.requestsOf('add')) - before).toBe(3);
});
