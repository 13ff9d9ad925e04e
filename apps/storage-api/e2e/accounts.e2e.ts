import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { basic, noise, Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = new Service();
  await service.makeAccounts();
});
afterEach(() => service.remove());

const MiB = 1024 * 1024;

async function tryAdd(bytes: Uint8Array, as = 'ann', query = '') {
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'file.bin');
  const answer = await service.post(`add${query}`, { as, body: form });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text.trim().split('\n').at(-1) ?? '{}') as Record<string, string> };
}
const usage = async (as: string) =>
  ((await (await service.post('repo/stat', { as })).json()) as { RepoSize: number }).RepoSize;
const listPins = async (as: string) =>
  Object.keys(((await (await service.post('pin/ls', { as })).json()) as { Keys?: object }).Keys ?? {});
const collect = async (as: string) => {
  const text = await (await service.post('repo/gc', { as })).text();
  return text.trim() === ''
    ? []
    : text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).Key['/'] as string);
};

describe('a quota', () => {
  beforeEach(() => service.start({ STORAGE_QUOTA_BYTES: String(2 * MiB), STORAGE_GC_GRACE_SECONDS: '0' }));

  test('ends an add while it streams, before it is exceeded, and leaves none of its blocks', async () => {
    const refused = await tryAdd(noise(3 * MiB, 1));
    expect([refused.status, refused.body]).toEqual([
      403,
      { Message: expect.stringContaining('quota'), Code: 4, Type: 'error' },
    ]);
    expect([await usage('ann'), await listPins('ann')]).toEqual([0, []]);
    expect((await tryAdd(noise(1.5 * MiB, 2))).status).toBe(200);
    // Each account has its own quota, also for shared blocks.
    expect((await tryAdd(noise(1.5 * MiB, 2), 'bob')).status).toBe(200);
    expect((await tryAdd(noise(1 * MiB, 3))).status).toBe(403);
    expect(await usage('ann')).toBeLessThan(2 * MiB);
  });

  test('applies to pins of stored content, and to files', async () => {
    const { body } = await tryAdd(noise(1.5 * MiB, 2), 'bob');
    expect((await tryAdd(noise(1 * MiB, 3))).status).toBe(200);
    const pinned = await service.post(`pin/add?arg=${body.Hash}`);
    expect([pinned.status, await pinned.text()]).toEqual([403, expect.stringContaining('quota')]);
    const copied = await service.post(`files/cp?arg=/ipfs/${body.Hash}&arg=/copy`);
    expect([copied.status, await copied.text()]).toEqual([403, expect.stringContaining('quota')]);
    const form = new FormData();
    form.set('file', new Blob([noise(1.5 * MiB, 4)]));
    expect((await service.post('files/write?arg=/f&create=true', { body: form })).status).toBe(403);
    // A full account can still remove content.
    const small = await service.post('files/mkdir?arg=/dir');
    expect(small.status).toBe(200);
    expect((await service.post('files/rm?arg=/dir&recursive=true')).status).toBe(200);
  });

  test('prevents two concurrent adds from using the same bytes', async () => {
    const outcomes = await Promise.all([tryAdd(noise(1.5 * MiB, 5)), tryAdd(noise(1.5 * MiB, 6))]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await usage('ann')).toBeLessThan(2 * MiB);
  });
});

test('a full store refuses with 507, and accepts content again after garbage collection', async () => {
  await service.start({
    STORAGE_BYTES_MAX: String(4 * MiB),
    STORAGE_GC_GRACE_SECONDS: '0',
    STORAGE_GC_WATERMARK_PERCENT: '100',
  });
  const { body } = await tryAdd(noise(3 * MiB, 1));
  const refused = await tryAdd(noise(3 * MiB, 2), 'bob');
  expect([refused.status, refused.body.Type]).toEqual([507, 'error']);
  expect(await listPins('bob')).toEqual([]);
  await service.post(`pin/rm?arg=${body.Hash}`);
  await collect('ann');
  expect((await tryAdd(noise(3 * MiB, 2), 'bob')).status).toBe(200);
  expect((await service.post(`cat?arg=${body.Hash}`)).status).toBe(500);
});

test('garbage collection starts at the watermark', async () => {
  await service.start({
    STORAGE_BYTES_MAX: String(20 * MiB),
    STORAGE_GC_GRACE_SECONDS: '0',
    STORAGE_GC_WATERMARK_PERCENT: '10',
    STORAGE_BLOCK_WAIT_SECONDS: '0',
  });
  const kept = (await tryAdd(noise(100_000, 1))).body.Hash;
  const { status, body } = await tryAdd(noise(3 * MiB, 2), 'ann', '?pin=false');
  expect([status, body]).toEqual([200, expect.objectContaining({ Name: 'file.bin' })]);
  for (let tries = 0; (await service.post(`block/stat?arg=${body.Hash}`)).ok; tries++) {
    if (tries === 100) throw new Error(`nothing was collected: ${service.log}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await service.logged('garbage collected');
  expect((await service.post(`cat?arg=${kept}`)).status).toBe(200);
});

describe('accounts on one store', () => {
  beforeEach(() => service.start({ STORAGE_GC_GRACE_SECONDS: '0', STORAGE_BLOCK_WAIT_SECONDS: '0' }));

  test('do not see pins, blocks or usage of each other', async () => {
    const { body } = await tryAdd(noise(300_000, 1));
    expect([await listPins('bob'), await usage('bob')]).toEqual([[], 0]);
    expect(await (await service.post('refs/local', { as: 'bob' })).text()).toBe('');
    const unpinned = await service.post(`pin/rm?arg=${body.Hash}`, { as: 'bob' });
    expect([unpinned.status, await unpinned.text()]).toEqual([500, expect.stringContaining('not pinned')]);
    await (await service.post(`block/rm?arg=${body.Hash}`, { as: 'bob' })).text();
    expect(await collect('bob')).toEqual([]);
    expect((await service.post(`cat?arg=${body.Hash}`)).status).toBe(200);
  });

  test('keep blocks that another account releases, and gc lists only the blocks of the caller alone', async () => {
    const shared = (await tryAdd(noise(300_000, 1))).body.Hash;
    await tryAdd(noise(300_000, 1), 'bob');
    const own = (await tryAdd(noise(300_000, 2))).body.Hash;
    await service.post(`pin/rm?arg=${shared}&arg=${own}`);
    const listed = await collect('ann');
    expect(listed).toHaveLength(3);
    expect(await collect('bob')).toEqual([]);
    expect((await service.post(`cat?arg=${shared}`, { as: 'bob' })).status).toBe(200);
    expect((await service.post(`cat?arg=${own}`)).status).toBe(500);
  });

  test('cannot use the key name of one account with the password of another', async () => {
    const answer = await service.post('id', { headers: { authorization: basic('ann', 'secret-of-bob') } });
    expect(answer.status).toBe(401);
  });
});

describe('a read of missing content', () => {
  const missing = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';

  test('ends after the limit of the service with an error that states it', async () => {
    await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '1' });
    const commands = ['cat', 'get', 'ls', 'block/get', 'block/stat', 'dag/get', 'dag/export', 'pin/add'];
    await Promise.all(
      commands.map(async (command) => {
        const answer = await service.post(`${command}?arg=${missing}`);
        const expected = expect.stringMatching(/could not find .* \(waited 1000 ms for it\)/);
        expect([command, answer.status, await answer.text()]).toEqual([command, 500, expected]);
      }),
    );
  });

  test('ends with the timeout of the request, or with the content', async () => {
    await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
    const late = await service.post(`cat?arg=${missing}&timeout=100ms`);
    expect([late.status, await late.text()]).toEqual([500, expect.stringContaining('context deadline exceeded')]);
    const { body } = await tryAdd(noise(1000, 9), 'ann', '?only-hash=true');
    const waiting = service.post(`cat?arg=${body.Hash}&timeout=20s`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await tryAdd(noise(1000, 9), 'bob');
    expect(Buffer.from(await (await waiting).arrayBuffer()).equals(noise(1000, 9))).toBe(true);
  });
});

test('a client that disconnects in the middle of an add leaves no blocks, and stops a read', async () => {
  await service.start({ STORAGE_GC_GRACE_SECONDS: '0' });
  const addAndDisconnect = (afterMs: number) =>
    new Promise<void>((resolve) => {
      const sent = request(`${service.url}/api/v0/add`, {
        method: 'POST',
        headers: { authorization: basic('ann'), 'content-type': 'multipart/form-data; boundary=b' },
      });
      sent.on('error', () => resolve());
      sent.write('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n');
      sent.write(noise(3 * MiB, 4), () => setTimeout(() => sent.destroy(new Error('gone')), afterMs));
    });
  // A busy machine writes no block before an early disconnect, so later ones follow.
  let removed: readonly unknown[] = [];
  for (let tries = 1; removed.length === 0 && tries <= 8; tries++) {
    await addAndDisconnect(100 * 2 ** tries);
    while ((service.log.match(/"status":499/g) ?? []).length < tries)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await listPins('ann')).toEqual([]);
    removed = await collect('ann');
  }
  expect(removed.length).toBeGreaterThan(0);
  expect(await (await service.post('refs/local')).text()).toBe('');

  const { body } = await tryAdd(noise(32 * MiB, 5));
  const abort = new AbortController();
  const answer = await fetch(`${service.url}/api/v0/cat?arg=${body.Hash}`, {
    method: 'POST',
    headers: { authorization: basic('ann') },
    signal: abort.signal,
  });
  await answer.body?.getReader().read();
  abort.abort();
  await service.logged('"command":"cat"');
  expect(service.log).toMatch(/"command":"cat"[^\n]*"isComplete":false/);
});
