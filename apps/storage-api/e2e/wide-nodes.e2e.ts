import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Service } from './service.ts';

/** MiB of the codec thread, which `dag/get` uses; a separate test measures it. */
const memoryMibMax = 400;
const service = new Service();
beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
});
afterAll(() => service.remove());

const repeated = (hex: string, length: number) => Buffer.alloc(length, Buffer.from(hex, 'hex'));
/** A dag-cbor list with a number of items. */
const list = (count: number, items: Buffer) => {
  const head = Buffer.of(0x9a, 0, 0, 0, 0);
  head.writeUInt32BE(count, 1);
  return Buffer.concat([head, items]);
};

// Identity CIDs without bytes make the shortest links.
const blocks = {
  'a million links without CIDs': ['dag-pb', repeated('1200', 2_000_000)],
  '60,000 links': ['dag-pb', repeated('12060a0401550000', 8 * 60_000)],
  '60,000 links of dag-cbor': ['dag-cbor', list(60_000, repeated('d82a450001550000', 8 * 60_000))],
  '60,000 links of dag-json': ['dag-json', Buffer.from(`[${Array(60_000).fill('{"/":"bafkqaaa"}').join(',')}]`)],
  '600,000 empty maps of dag-json': ['dag-json', Buffer.from(`[${Array(600_000).fill('{}').join(',')}]`)],
} as const;

async function put(codec: string, bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'node');
  const answer = await service.post(`block/put?cid-codec=${codec}&allow-big-block=true`, { body: form });
  return ((await answer.json()) as { readonly Key: string }).Key;
}

const commands = ['refs?unique=true', 'ls', 'cat', 'get', 'dag/stat', 'dag/export', 'pin/add', 'files/stat', 'resolve'];

test('every command responds to wide nodes of every codec, eight concurrently', async () => {
  const keys: string[] = [];
  for (const [codec, bytes] of Object.values(blocks)) keys.push(await put(codec, bytes));
  for (const command of commands) {
    const paths = keys.map((key) => (command === 'files/stat' ? `/ipfs/${key}&with-local=true` : key));
    const eight = Array.from({ length: 8 }, (_, index) => paths[index % paths.length]);
    await Promise.all(
      eight.map(async (path) => {
        const answer = await service.post(`${command}${command.includes('?') ? '&' : '?'}arg=${path}`);
        // Read without being stored.
        let end = '';
        for await (const chunk of answer.body ?? []) end = Buffer.from(chunk).toString().slice(-2000);
        expect([command, end]).toEqual([command, expect.not.stringMatching(/internal error/)]);
      }),
    );
  }
  const line = JSON.parse((await (await service.post(`refs?arg=${keys[0]}`)).text()).trim());
  expect(line).toEqual({ Ref: '', Err: expect.stringMatching(/cannot be decoded with the codec of its CID/) });
});

test('the memory of a process that reads wide nodes is bounded', () => {
  expect(service.memoryPeakMib).toBeLessThan(memoryMibMax);
});

test('paths through long blocks leave the event loop, and repeated ones are resolved once', async () => {
  const [, bytes] = blocks['60,000 links of dag-cbor'];
  const key = await put('dag-cbor', bytes);
  const args = Array(100).fill(`arg=${key}/7`).join('&');
  const refs = await service.post(`refs?${args}`);
  expect([refs.status, await refs.text()]).toEqual([200, '']);
  const missing = await service.post(`dag/resolve?arg=${key}/x`);
  expect([missing.status, await missing.text()]).toEqual([500, expect.stringMatching(/invalid segment for lookup/)]);
  expect(await (await service.post(`dag/get?arg=${key}/59999`)).text()).toBe('{"/":{"bytes":""}}');
});
