import { join } from 'node:path';
import { Auth, type KeyPolicy, openLmdbAccountStore } from '@cairn/auth';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importer } from 'ipfs-unixfs-importer';
import { fixedSize } from 'ipfs-unixfs-importer/chunker';
import { balanced } from 'ipfs-unixfs-importer/layout';
import { create } from 'kubo-rpc-client';
import { CID } from 'multiformats';
import { create as digestOf } from 'multiformats/hashes/digest';
import { basic, noise, Service } from './service.ts';

const service = new Service();
beforeAll(async () => {
  await service.makeAccounts();
  await service.start();
});
afterAll(() => service.remove());

const client = (as = 'ann') => create({ url: `${service.url}/api/v0`, headers: { authorization: basic(as) } });

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/** Importer of js-ipfs in Kubo's profile. */
async function kuboCid(bytes: Uint8Array, cidVersion: 0 | 1): Promise<string> {
  const nowhere = { put: async (cid: unknown) => cid } as unknown as Parameters<typeof importer>[1];
  const pieces = (async function* () {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  })();
  const options = {
    cidVersion,
    rawLeaves: cidVersion === 1,
    leafType: 'file' as const,
    reduceSingleLeafToSelf: true,
    chunker: fixedSize({ chunkSize: 262_144 }),
    layout: balanced({ maxChildrenPerNode: 174 }),
  };
  for await (const { cid } of importer([{ content: pieces }], nowhere, options)) return cid.toString();
  throw new Error('nothing imported');
}

describe('kubo-rpc-client', () => {
  const KiB = 1024;
  test.each([0, 1, 256 * KiB - 1, 256 * KiB, 256 * KiB + 1, 45 * KiB * KiB + 7])(
    '%i bytes get the CIDs of Kubo and are read back',
    async (length) => {
      const bytes = noise(length);
      const version0 = await client().add(bytes);
      expect(version0.cid.toString()).toBe(await kuboCid(bytes, 0));
      const version1 = await client().add(bytes, { cidVersion: 1 });
      expect(version1.cid.toString()).toBe(await kuboCid(bytes, 1));
      expect((await collect(client().cat(version1.cid))).equals(bytes)).toBe(true);
      if (length > 300_000)
        expect(
          (await collect(client().cat(version0.cid, { offset: 262_000, length: 1000 }))).equals(
            bytes.subarray(262_000, 263_000),
          ),
        ).toBe(true);
    },
  );

  test('pins and unpins separately for each account', async () => {
    const { cid } = await client().add('shared content');
    expect((await client('bob').pin.add(cid)).toString()).toBe(cid.toString());
    expect((await client().pin.rm(cid)).toString()).toBe(cid.toString());
    await expect(client().pin.rm(cid)).rejects.toThrow('not pinned or pinned indirectly');
    expect((await client('bob').pin.rm(cid)).toString()).toBe(cid.toString());
  });

  test('reports progress while it adds', async () => {
    const seen: number[] = [];
    await client().add(noise(1_000_000, 5), { progress: (bytes) => void seen.push(bytes) });
    expect(seen.at(-1)).toBeGreaterThanOrEqual(700_000);
  });
});

describe('the wire', () => {
  test('an add sends one JSON object per line, the CID second, the size as text', async () => {
    const form = new FormData();
    form.set('file', new Blob(['Hello Worlds!\n']), 'hello.txt');
    const answer = await service.post('add', { body: form });
    expect(await answer.text()).toBe(
      '{"Name":"hello.txt","Hash":"QmVr26fY1tKyspEJBniVhqxQeEjhF78XerGiqWAwraVLQH","Size":"22"}\n',
    );
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-chunked-output')).toBe('1');
  });

  test('cat accepts paths, ranges and several arguments', async () => {
    const [file, , directory] = [
      ...(await service.add('0123456789', '?wrap-with-directory=true')),
      undefined,
      undefined,
    ];
    const root = (await service.add('0123456789', '?wrap-with-directory=true')).at(-1)?.Hash;
    expect(directory).toBeUndefined();
    for (const path of [file?.Hash, `/ipfs/${root}/file.bin`, `${root}/file.bin`]) {
      const answer = await service.post(`cat?arg=${path}&offset=2&length=3`);
      expect([answer.status, await answer.text()]).toEqual([200, '234']);
    }
    const two = await service.post(`cat?arg=${file?.Hash}&arg=${file?.Hash}&offset=8&length=4`);
    expect([two.headers.get('x-content-length'), await two.text()]).toEqual(['4', '8901']);
  });

  test.each([
    ['cat', 400, 'argument "ipfs-path" is required'],
    ['cat?arg=nonsense', 400, 'path does not have enough components'],
    ['cat?arg=QmVr26fY1tKyspEJBniVhqxQeEjhF78XerGiqWAwraVLQH&offset=-1', 400, 'cannot specify negative offset'],
    ['cat?arg=QmVr26fY1tKyspEJBniVhqxQeEjhF78XerGiqWAwraVLQH&timeout=soon', 400, 'option "timeout"'],
    ['cat?arg=bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy', 500, 'block was not found locally'],
    ['pin/add?arg=bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy', 500, 'block was not found locally'],
    ['add?cid-version=2', 400, "file argument 'path' is required"],
    ['add', 400, "file argument 'path' is required"],
    ['nothing/here', 404, '404 page not found'],
  ])('%s answers %i and says why', async (path, status, message) => {
    const answer = await service.post(path);
    expect(answer.status).toBe(status);
    const text = await answer.text();
    // Kubo sends errors of the request itself as plain text.
    const { Message } =
      answer.headers.get('content-type') === 'application/json' ? JSON.parse(text) : { Message: text };
    expect(Message).toContain(message);
  });

  test.each(['GET', 'PUT', 'DELETE', 'HEAD'])('%s gets 405', async (method) => {
    const answer = await fetch(`${service.url}/api/v0/cat?arg=x`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
  });

  test('pages of other origins are refused, and nosniff is set', async () => {
    const headers = { origin: 'https://page.example', authorization: basic('ann') };
    const asked = await fetch(`${service.url}/api/v0/version`, { method: 'POST', headers });
    const before = await fetch(`${service.url}/api/v0/version`, { method: 'OPTIONS', headers });
    for (const answer of [asked, before]) {
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-allow'))).toEqual([]);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect([asked.status, before.status]).toEqual([403, 204]);
  });

  test('a truncated body leaves no pin, and the service continues', async () => {
    const boundary = 'x';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="cut"\r\nContent-Type: application/octet-stream\r\n\r\nabc`;
    const answer = await service.post('add', {
      body: head,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ Message: expect.stringContaining('multipart'), Type: 'error' });
    expect((await service.add('still here'))[0]?.Hash).toMatch(/^Qm/);
  });
});

describe('accounts', () => {
  test.each([
    ['no credentials', {}, 401],
    ['a wrong secret', { authorization: basic('ann', 'wrong') }, 401],
    ['an unknown key', { authorization: basic('missing') }, 401],
    ['another scheme', { authorization: 'Bearer x' }, 401],
    ['no billing card', { authorization: basic('cardless') }, 402],
  ])('%s is answered before the body is read', async (_, headers, status) => {
    const form = new FormData();
    form.set('file', new Blob([noise(3_000_000)]), 'big');
    const answer = await fetch(`${service.url}/api/v0/add`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: form,
    });
    expect(answer.status).toBe(status);
    const { Message } = (await answer.json()) as { Message: string };
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic/);
    else expect(Message).toContain('Attach a card under Billing in the console');
  });

  test('a key may be limited to some commands, and to some clients', async () => {
    const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(service.home, 'accounts') }) });
    const [{ Hash = '' } = {}] = await service.add('for readers');
    const policies: Record<string, KeyPolicy> = {
      reader: { storage: ['read'] },
      adder: { storage: ['add'] },
      nothing: { storage: [] },
      elsewhere: { addresses: ['10.0.0.0/8'] },
    };
    for (const [id, policy] of Object.entries(policies))
      await auth.createKey('ann', { id, secret: `secret-of-${id}`, policy });
    const statuses = async (as: string) => [
      (await service.post(`cat?arg=${Hash}`, { as })).status,
      await service.add('more', '', as).then(
        () => 200,
        (error: Error) => Number(error.message.slice(0, 3)),
      ),
      (await service.post(`pin/add?arg=${Hash}`, { as })).status,
    ];
    expect(await statuses('reader')).toEqual([200, 403, 403]);
    expect(await statuses('adder')).toEqual([403, 200, 403]);
    expect(await statuses('nothing')).toEqual([403, 403, 403]);
    expect(await statuses('elsewhere')).toEqual([403, 403, 403]);
    await auth.limitKey('nothing', { policy: { storage: ['read', 'add', 'pin'] } });
    expect(await statuses('nothing')).toEqual([200, 200, 200]);
    await auth.close();
  });

  test('many wrong secrets pause one address and no other', async () => {
    const attempt = async (key: string, secret?: string) =>
      await fetch(`${service.url}/api/v0/version`, { method: 'POST', headers: { authorization: basic(key, secret) } });
    const answers = [];
    for (let n = 0; n < 12; n++) answers.push(await attempt('bob', `guess ${n}`));
    expect(answers.slice(0, 11).map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 401));
    const last = answers.at(-1);
    expect([last?.status, Number(last?.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await attempt('ann')).status).toBe(200);
  });

  test('the log contains no secret', () => {
    expect(service.log).toContain('"command":"add"');
    expect(service.log).not.toContain('secret-of-');
    expect(service.log).not.toContain(basic('ann').slice(6));
  });
});

test.each([
  [10_000, 200, '"Version"'],
  [65_000, 200, '"Version"'],
  [66_000, 414, 'the URL is longer than 65536 characters; send several requests'],
  [140_000, 414, 'the URL is longer than 65536 characters; send several requests'],
  [164_000, 431, '431 Request Header Fields Too Large'],
])('a URL of %i characters gets %i and a reason', async (length, status, text) => {
  const answer = await service.post(`version?x=${'y'.repeat(length)}`);
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(text)]);
});

test('1,000 CIDs are arguments of one request, as xargs sends them', async () => {
  const args = Array.from({ length: 1000 }, (_, n) => `arg=${CID.createV1(0x55, digestOf(0x12, noise(32, n)))}`);
  const answer = await service.post(`block/rm?force=true&${args.join('&')}`);
  expect([answer.status, (await answer.text()).trim().split('\n').length]).toEqual([200, 1000]);
});

test('the API documents are served without authentication', async () => {
  const answer = await fetch(`${service.url}/openapi.json`);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.json()).toMatchObject({ openapi: '3.1.0', paths: { '/add': {}, '/pin/rm': {} } });
  expect((await fetch(`${service.url}/openapi.json`, { method: 'POST' })).status).toBe(405);
});
