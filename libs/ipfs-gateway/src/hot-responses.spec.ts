import { createMemoryBlockstore } from '@cairn/blockstore';
import { importTree, profiles } from '@cairn/unixfs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createGateway, type GatewayOptions, type GatewayRequest, type Refusal } from './index.ts';

async function* content(bytes: string | Uint8Array) {
  yield Buffer.from(bytes);
}

const blocks = createMemoryBlockstore();
const big = Buffer.alloc(700_000, 'big');
let root = '';
let reads = 0;
const counted: GatewayOptions['blocks'] = {
  get: (cid, options) => {
    reads++;
    return blocks.get(cid, options);
  },
  has: (cid) => blocks.has(cid),
};

beforeAll(async () => {
  const entries = [
    { path: 'site/page.html', content: content('<h1>Page</h1>') },
    { path: 'site/big.bin', content: content(big) },
    { path: 'site/dir/a.txt', content: content('a') },
  ];
  for await (const { cid, isRoot } of importTree(entries, blocks, profiles['unixfs-v0-2015']))
    if (isRoot) root = cid.toString();
});

function newGateway(options: Partial<GatewayOptions> = {}) {
  const gateway = createGateway({ blocks: counted, hotBytesMax: 1_000_000, ...options });
  const get = async (target: string, request: Partial<GatewayRequest> = {}) => {
    const before = reads;
    const asked = { method: 'GET', host: '127.0.0.1', target, headers: {}, ...request };
    const { status, headers, body } = await gateway.handle(asked);
    const parts: Uint8Array[] = [];
    if (body !== undefined) for await (const bytes of body) parts.push(bytes);
    return { status, headers, bytes: Buffer.concat(parts), reads: reads - before };
  };
  return { gateway, get };
}

describe('responses in memory', () => {
  test.each(['page.html', 'dir/', 'page.html?format=raw', 'dir/a.txt?filename=b.txt'])(
    'the second response of %s needs no block and equals the first',
    async (path) => {
      const { get } = newGateway();
      const first = await get(`/ipfs/${root}/${path}`);
      const second = await get(`/ipfs/${root}/${path}`);
      expect(first.reads).toBeGreaterThan(0);
      expect(second).toEqual({
        ...first,
        reads: 0,
        headers: { ...first.headers, 'content-length': String(first.bytes.length) },
      });
    },
  );

  test('a large response, a redirect and an error are not kept', async () => {
    const { get } = newGateway();
    for (const path of ['big.bin', 'dir', 'none'])
      for (let time = 0; time < 2; time++) expect((await get(`/ipfs/${root}/${path}`)).reads).toBeGreaterThan(0);
    expect((await get(`/ipfs/${root}/big.bin`)).bytes.equals(big)).toBe(true);
  });

  test('other methods, hosts, formats, ranges and conditions are answered on their own', async () => {
    const { get } = newGateway({ subdomainHosts: [{ host: 'localhost' }] });
    const path = `/ipfs/${root}/page.html`;
    await get(path);
    expect((await get(path, { method: 'HEAD' })).bytes.length).toBe(0);
    expect((await get(path, { method: 'POST' })).status).toBe(405);
    expect((await get(path, { host: 'localhost' })).status).toBe(301);
    expect((await get(path, { headers: { range: 'bytes=1-2' } })).status).toBe(206);
    expect((await get(path, { headers: { 'if-none-match': '*' } })).status).toBe(304);
    const raw = await get(path, { headers: { accept: 'application/vnd.ipld.raw' } });
    expect(raw.headers['content-type']).toBe('application/vnd.ipld.raw');
    expect((await get(path, { headers: { accept: 'image/png' } })).reads).toBe(0);
  });

  test('the policy decides about each response', async () => {
    let refusal: Refusal | undefined;
    const { get } = newGateway({ policy: () => refusal });
    await get(`/ipfs/${root}/page.html`);
    refusal = { status: 410, text: 'gone' };
    const refused = await get(`/ipfs/${root}/page.html`);
    expect([refused.status, refused.bytes.toString(), refused.headers.etag]).toEqual([410, 'gone\n', undefined]);
    refusal = undefined;
    expect((await get(`/ipfs/${root}/page.html`)).status).toBe(200);
  });

  test('forget drops what is kept, and what is being read', async () => {
    const { gateway, get } = newGateway();
    const request = { method: 'GET', host: '127.0.0.1', target: `/ipfs/${root}/dir/`, headers: {} };
    const { body } = await gateway.handle(request);
    gateway.forget();
    for await (const _ of body ?? []);
    expect((await get(`/ipfs/${root}/dir/`)).reads).toBeGreaterThan(0);
    expect((await get(`/ipfs/${root}/dir/`)).reads).toBe(0);
    gateway.forget();
    expect((await get(`/ipfs/${root}/dir/`)).reads).toBeGreaterThan(0);
  });

  test('a removed block is no longer served', async () => {
    let isRemoved = false;
    const { get } = newGateway({
      blocks: { ...counted, has: async (cid) => !isRemoved && (await blocks.has(cid)) },
    });
    await get(`/ipfs/${root}/page.html`);
    isRemoved = true;
    expect((await get(`/ipfs/${root}/page.html`)).reads).toBeGreaterThan(0);
  });

  test('resume gives the body from an offset on', async () => {
    const { gateway } = newGateway();
    const request = { method: 'GET', host: '127.0.0.1', target: `/ipfs/${root}/big.bin`, headers: {} };
    const { resume } = await gateway.handle({ ...request, headers: { range: 'bytes=100-500099' } });
    const parts: Uint8Array[] = [];
    for await (const bytes of resume?.(300_000) ?? []) parts.push(bytes);
    expect(Buffer.concat(parts).equals(big.subarray(300_100, 500_100))).toBe(true);
  });
});
