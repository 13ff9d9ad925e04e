import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import { readCar } from '@cairn/dag';
import { importTree, profiles } from '@cairn/unixfs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createGateway, type GatewayOptions } from './index.ts';

const MiB = 1024 * 1024;
const blocks = createMemoryBlockstore();
const missing = cidFor(Buffer.from('missing'), { codec: 'raw' });
const paths = new Map<string, CID>();

async function* content(length: number) {
  for (let at = 0; at < length; at += MiB) yield Buffer.alloc(Math.min(MiB, length - at), `block ${at} `);
}

beforeAll(async () => {
  const entries = [
    { path: 'root/file.bin', content: content(3 * MiB) },
    { path: 'root/small.txt', content: content(10) },
  ];
  for await (const { path, cid } of importTree(entries, blocks, profiles['unixfs-v1-2025'])) paths.set(path, cid);
});

async function getCar(
  target: string,
  { method = 'GET', ...options }: Partial<GatewayOptions> & { method?: string } = {},
) {
  const gateway = createGateway({ blocks, ...options });
  const { status, body } = await gateway.handle({ method, host: '127.0.0.1', target, headers: {} });
  const parts: Uint8Array[] = [];
  if (body !== undefined) for await (const bytes of body) parts.push(bytes);
  return { status, bytes: Buffer.concat(parts) };
}

async function blocksOf(target: string): Promise<number> {
  let count = 0;
  for await (const _ of (await readCar((await getCar(target)).bytes)).blocks) count++;
  return count;
}

describe('a CAR response', () => {
  test('entity-bytes implies the scope of the entity', async () => {
    const file = `/ipfs/${paths.get('root/file.bin')}?format=car`;
    expect(await blocksOf(file)).toBe(4);
    expect(await blocksOf(`${file}&entity-bytes=5:10`)).toBe(2);
    expect(await blocksOf(`${file}&entity-bytes=${MiB - 1}:${MiB}`)).toBe(3);
    expect(await blocksOf(`${file}&entity-bytes=5:10&dag-scope=all`)).toBe(4);
    expect(await blocksOf(`/ipfs/${paths.get('root')}?format=car&entity-bytes=0:*`)).toBe(1);
  });

  test.each(['GET', 'HEAD'])('%s has the status 404 if the requested block is missing', async (method) => {
    expect((await getCar(`/ipfs/${missing}?format=car`, { method })).status).toBe(404);
    const directory = paths.get('root') as CID;
    const some = createMemoryBlockstore();
    const path = `/ipfs/${directory}/small.txt?format=car`;
    expect((await getCar(path, { method, blocks: some })).status).toBe(404);
    await some.putMany([{ cid: directory, bytes: await blocks.get(directory) }]);
    expect((await getCar(path, { method, blocks: some })).status).toBe(404);
    expect((await getCar(`/ipfs/${directory}/no-such?format=car`, { method, blocks: some })).status).toBe(200);
  });

  test('a policy refuses the block of a path before the status is sent', async () => {
    const denied = String(paths.get('root/small.txt'));
    const policy = ({ roots }: { readonly roots: readonly CID[] }) =>
      roots.some((cid) => String(cid) === denied) ? { status: 410, text: 'denied' } : undefined;
    const directory = paths.get('root');
    expect((await getCar(`/ipfs/${directory}/small.txt?format=car`, { policy })).status).toBe(410);
    expect((await getCar(`/ipfs/${directory}/file.bin?format=car`, { policy })).status).toBe(200);
  });
});
