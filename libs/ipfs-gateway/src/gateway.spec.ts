import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor, parseCid } from '@cairn/cid';
import { encodeDag } from '@cairn/dag';
import { importTree, profiles } from '@cairn/unixfs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createGateway, type GatewayOptions, type GatewayRequest } from './index.ts';

async function* content(text: string) {
  yield Buffer.from(text);
}

const hostile = `<img src=x onerror="alert('1')">?#.txt`;
const blocks = createMemoryBlockstore();
let root = '';

beforeAll(async () => {
  const entries = [
    { path: 'site/page.html', content: content('<h1>Page</h1>') },
    { path: `site/${hostile}`, content: content('x') },
    { path: 'site/link', symlink: '/etc' },
    { path: 'site/empty', content: content('') },
    { path: 'site/dated.txt', content: content('dated'), mtime: { seconds: 1_700_000_000 } },
    {
      path: 'site/_redirects',
      content: content(
        '/old/:name /new/:name 302\n/gone /page.html 451\n/app/* /page.html 200\n/half /100%.html 200\n',
      ),
    },
  ];
  for await (const { cid, isRoot } of importTree(entries, blocks, profiles['unixfs-v1-2025']))
    if (isRoot) root = cid.toString();
});

async function get(target: string, request: Partial<GatewayRequest> = {}, options: Partial<GatewayOptions> = {}) {
  const gateway = createGateway({ blocks, subdomainHosts: [{ host: 'localhost' }], ...options });
  const { status, headers, body } = await gateway.handle({
    method: 'GET',
    host: '127.0.0.1',
    target,
    headers: {},
    ...request,
  });
  const parts: Uint8Array[] = [];
  if (body !== undefined) for await (const bytes of body) parts.push(bytes);
  return { status, headers, text: Buffer.concat(parts).toString() };
}

describe('createGateway', () => {
  test('a directory page escapes names in text and in links', async () => {
    const { text } = await get(`/ipfs/${root}/`);
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;?#.txt</a>');
    const [, href = ''] = /href="([^"]*onerror[^"]*)"/.exec(text) ?? [];
    expect(href).toContain('%3F%23.txt');
    const { status, text: file } = await get(href);
    expect([status, file]).toEqual([200, 'x']);
  });

  test.each([
    [
      '12D3KooWRBy97UB99e3J6hiPesre1MZeuNQvfan4gBziswrRJsNK',
      'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8',
    ],
    ['QmcJM7PRfkSbcM5cf1QugM5R37TLRKyJGgBEhXjLTB8uA2', 'k2k4r8ol4m8kkcqz509c1rcjwunebj02gcnm5excpx842u736nja8ger'],
  ])('the name %s is redirected to its base36 text without being resolved', async (peerId, name) => {
    const { status, headers } = await get(`/ipns/${peerId}/root2/?a=b%20c`);
    expect([status, headers.location]).toEqual([302, `/ipns/${name}/root2/?a=b%20c`]);
    expect((await get(`/ipns/${name}/root2/`)).status).toBe(500);
  });

  test('a directory page of a subdomain links to paths of its gateway', async () => {
    const { text } = await get('/', { host: `${root}.ipfs.localhost:8081` });
    expect(text).toContain(`/ipfs/<a href="//localhost:8081/ipfs/${root}">${root}</a>`);
    expect(text).toMatch(/class="ipfs-hash" translate="no" href="\/\/localhost:8081\/ipfs\/baf\w+\?filename=empty"/);
    expect(text).toContain('<a href="/page.html">page.html</a>');
  });

  test('the page of a small broken directory has the status of its failure', async () => {
    const data = Uint8Array.of(0x08, 0x05, 0x12, 0x01, 0x01, 0x28, 0x22, 0x30, 0x80, 0x02);
    const shard = encodeDag('dag-pb', { Data: data, Links: [{ Name: '00', Tsize: 1, Hash: parseCid(root) }] });
    const cid = cidFor(shard, { codec: 'dag-pb' });
    await blocks.putMany([{ cid, bytes: shard }]);
    expect((await get(`/ipfs/${cid}/`)).status).toBe(422);
  });

  test.each([
    ['ipfs://bafkqaaa/a%20b', 301, '/ipfs/bafkqaaa/a%20b'],
    ['IPNS://site.example/', 301, '/ipns/site.example/'],
    ['ipfs://bafkqaaa/ą b%23c%3Fd%2Fe?f=g', 301, '/ipfs/bafkqaaa/%C4%85%20b%23c%3Fd%2Fe?f=g'],
    ['ipfs://bafkqaaa/100%25.txt', 301, '/ipfs/bafkqaaa/100%25.txt'],
    ['ipfs://bafkqaaa/100%.txt', 400, undefined],
    ['https://site.example/', 400, undefined],
  ])('the protocol handler answers %s with %i', async (uri, status, location) => {
    const response = await get(`/ipfs/?uri=${encodeURIComponent(uri)}`);
    expect([response.status, response.headers.location]).toEqual([status, location]);
  });

  test('a rule of _redirects with a wrong percent sign is reported with its text', async () => {
    const { status, text } = await get('/half', { host: `${root}.ipfs.localhost` });
    expect([status, text]).toEqual([500, expect.stringContaining('"/100%.html" has an invalid percent-encoding')]);
  });

  test.each([
    ['application/vnd.ipld.car;q=0, application/vnd.ipld.raw', 'application/vnd.ipld.raw'],
    ['application/vnd.ipld.raw; q=0.000', 'text/html'],
    ['application/vnd.ipld.unknown;q=0, */*', 'text/html'],
    ['application/vnd.ipld.raw;q=0.001', 'application/vnd.ipld.raw'],
  ])('a type with the weight 0 is not chosen from %s', async (accept, type) => {
    const { status, headers } = await get(`/ipfs/${root}/page.html`, { headers: { accept } });
    expect([status, headers['content-type']]).toEqual([200, type]);
  });

  test('an empty file name is none', async () => {
    const { headers } = await get(`/ipfs/${root}/page.html?filename=&format=raw`);
    expect(headers['content-disposition']).toMatch(/filename="\w+\.bin"/);
    expect((await get(`/ipfs/${root}/page.html?filename=`)).headers['content-disposition']).toBeUndefined();
  });

  test('a parameter of the query decides the location of a CAR', async () => {
    const accept = 'application/vnd.ipld.car; dups=y';
    const { headers } = await get(`/ipfs/${root}?car-dups=n`, { headers: { accept } });
    expect(headers['content-type']).toContain('dups=n');
    expect(headers['content-location']).toBe(`/ipfs/${root}?car-dups=n&format=car`);
  });

  test('HEAD has the fields of GET and no body', async () => {
    const { status, headers, text } = await get(`/ipfs/${root}/page.html`, { method: 'HEAD' });
    expect([status, headers['content-length'], headers['content-type'], text]).toEqual([200, '13', 'text/html', '']);
  });

  test('a policy refuses content with its status before bytes are read', async () => {
    const policy = ({ roots }: { readonly roots: readonly object[] }) =>
      String(roots[0]) === root ? { status: 451, text: 'refused by the operator' } : undefined;
    const { status, text } = await get(`/ipfs/${root}/page.html`, {}, { policy });
    expect([status, text]).toEqual([451, 'refused by the operator\n']);
    expect((await get(`/ipfs/${root}?format=car`, {}, { policy })).status).toBe(451);
  });

  test('_redirects apply on an origin of their own only', async () => {
    const host = `${root}.ipfs.localhost`;
    const moved = await get('/old/one?x=1', { host });
    expect([moved.status, moved.headers.location]).toEqual([302, '/new/one?x=1']);
    expect((await get('/gone', { host })).status).toBe(451);
    expect((await get('/app/a/b', { host })).text).toBe('<h1>Page</h1>');
    expect((await get(`/ipfs/${root}/old/one`)).status).toBe(404);
  });

  test.each(['?format=raw', '?format=tar', '?format=dag-json', '?format=json'])(
    '_redirects do not apply to a request with %s',
    async (query) => {
      for (const path of ['/old/one', '/gone', '/app/a'])
        expect((await get(`${path}${query}`, { host: `${root}.ipfs.localhost` })).status).toBe(404);
    },
  );

  test('responses name their content by its URI, also redirects, unchanged pages and errors', async () => {
    const uriOf = async (target: string, request: Partial<GatewayRequest> = {}) => {
      const { status, headers } = await get(target, request);
      return [status, headers['ipfs-uri']];
    };
    const host = `${root}.ipfs.localhost`;
    expect(await uriOf(`/ipfs/${root}`)).toEqual([301, `ipfs://${root}`]);
    expect(await uriOf(`/ipfs/${root}/`)).toEqual([200, `ipfs://${root}/`]);
    expect(await uriOf('/page.html?filename=x', { host })).toEqual([200, `ipfs://${root}/page.html`]);
    expect(await uriOf(`/ipfs/${root}/none`)).toEqual([404, `ipfs://${root}/none`]);
    const headers = { 'if-none-match': '*' };
    expect(await uriOf(`/ipfs/${root}/page.html?format=raw`, { headers })).toEqual([304, `ipfs://${root}/page.html`]);
    expect((await get(`/ipfs/${root}/`)).headers['access-control-expose-headers']).toContain('Ipfs-Uri');
  });

  test('an escaped slash and escaped dots separate and leave names', async () => {
    const { status, headers, text } = await get(`/ipfs/${root}/a%2F..%2Fpage%2Ehtml`);
    expect([status, text]).toEqual([200, '<h1>Page</h1>']);
    expect(headers['ipfs-uri']).toBe(`ipfs://${root}/page.html`);
    expect((await get(`/ipfs/${root}/%2E%2E%2F%2E%2E%2Fetc`)).status).toBe(404);
  });

  test('a tar keeps symlinks as links', async () => {
    const { status, text } = await get(`/ipfs/${root}?format=tar`);
    expect(status).toBe(200);
    expect(text).toContain('/etc');
  });

  test('a block that is not here gives 404, and 412 for only-if-cached', async () => {
    const missing = cidFor(Buffer.from('missing'), { codec: 'raw' });
    expect((await get(`/ipfs/${missing}`)).status).toBe(404);
    // Directives are case-insensitive (RFC 9111, 5.2).
    for (const directives of ['only-if-cached', 'no-cache, Only-If-Cached'])
      expect((await get(`/ipfs/${missing}`, { headers: { 'cache-control': directives } })).status).toBe(412);
  });

  test.each([
    ['bytes=300000-300001', 'y'],
    ['bytes=0-', 'x'],
  ])('range %s gives 404 if its first block is not here', async (range, missing) => {
    const partial = createMemoryBlockstore();
    const chunks = ['x', 'y', 'z'].map((letter) => letter.repeat(262_144));
    let directory = '';
    const film = { path: 'dir/film.mp4', content: content(chunks.join('')) };
    for await (const { cid, isRoot } of importTree([film], partial, { ...profiles['unixfs-v0-2015'], rawLeaves: true }))
      if (isRoot) directory = cid.toString();
    await partial.delete(cidFor(Buffer.alloc(262_144, missing), { codec: 'raw' }));
    const answer = await get(`/ipfs/${directory}/film.mp4`, { headers: { range } }, { blocks: partial });
    expect([answer.status, answer.headers['content-range']]).toEqual([404, undefined]);
    const here = { range: 'bytes=524288-524290' };
    expect((await get(`/ipfs/${directory}/film.mp4`, { headers: here }, { blocks: partial })).text).toBe('zzz');
  });

  test('a range needs its own blocks only, also without a file name that tells the type', async () => {
    const partial = createMemoryBlockstore();
    const chunks = ['x', 'y'].map((letter) => letter.repeat(262_144));
    const file = { path: 'film', content: content(chunks.join('')) };
    let cid = '';
    for await (const entry of importTree([file], partial, { ...profiles['unixfs-v0-2015'], rawLeaves: true }))
      cid = entry.cid.toString();
    const read = (range?: string) => get(`/ipfs/${cid}`, { headers: range ? { range } : {} }, { blocks: partial });
    expect((await read('bytes=262144-262146')).headers['content-type']).toMatch(/^text\/plain/);
    await partial.delete(cidFor(Buffer.from(chunks[0] ?? ''), { codec: 'raw' }));
    const { status, headers, text } = await read('bytes=262144-262146');
    expect([status, headers['content-type'], text]).toEqual([206, 'application/octet-stream', 'yyy']);
    for (const range of [undefined, 'bytes=0-5']) expect((await read(range)).status).toBe(404);
  });

  test.each([
    ['if-none-match', (cid: string) => `"${cid}"`, 304],
    ['if-none-match', (cid: string) => `W/"${cid}"`, 304],
    ['if-none-match', (cid: string) => `"x${cid}"`, 200],
  ])('a directory page with %s of its CID gives its status', async (name, tag, status) => {
    expect((await get(`/ipfs/${root}/`, { headers: { [name]: tag(root) } })).status).toBe(status);
  });

  test.each([
    [`/page.html`, 'public, max-age=29030400, immutable'],
    [`/?format=raw`, 'public, max-age=29030400, immutable'],
    [`/?format=car`, 'public, max-age=29030400, immutable'],
    [`/`, 'public, max-age=604800, stale-while-revalidate=2678400'],
  ])('a 304 of %s has the entity tag and the caching of the content', async (path, caching) => {
    const whole = await get(`/ipfs/${root}${path}`);
    const tag = String(whole.headers.etag);
    const { status, headers } = await get(`/ipfs/${root}${path}`, { headers: { 'if-none-match': `"other", ${tag}` } });
    expect([status, headers.etag, headers['cache-control']]).toEqual([304, tag, caching]);
    expect(whole.headers['cache-control']).toBe(caching);
    expect(headers['content-length'] ?? headers['content-type']).toBeUndefined();
  });

  test.each([
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-match': '*' }, 200],
    [{ 'if-modified-since': 'Tue, 14 Nov 2023 22:13:20 GMT' }, 304],
    [{ 'if-modified-since': 'Mon, 13 Nov 2023 22:13:20 GMT' }, 200],
    [{ 'if-modified-since': 'Tue, 14 Nov 2023 22:13:20 GMT', 'if-none-match': '"other"' }, 200],
    [{ 'if-unmodified-since': 'Mon, 13 Nov 2023 22:13:20 GMT' }, 412],
    [{ 'if-unmodified-since': 'no date' }, 200],
    [{ range: 'bytes=1-2', 'if-range': 'Tue, 14 Nov 2023 22:13:20 GMT' }, 206],
    [{ range: 'bytes=1-2', 'if-range': '"other"' }, 200],
    [{ range: 'bytes=' }, 200],
    [{ range: 'bytes=9-' }, 416],
  ])('a dated file with %j gives %i', async (headers, status) => {
    const answer = await get(`/ipfs/${root}/dated.txt`, { headers });
    expect(answer.status).toBe(status);
    // An error that is cached as long as the content would outlive its cause.
    if (status >= 400) expect(answer.headers).not.toHaveProperty('cache-control');
  });

  test('a range of an empty file gives the file', async () => {
    const { status, headers } = await get(`/ipfs/${root}/empty`, { headers: { range: 'bytes=0-4' } });
    expect([status, headers['content-length']]).toEqual([200, '0']);
  });

  test('a file name is percent-encoded in both forms', async () => {
    const { headers } = await get(`/ipfs/${root}/page.html?filename=a%20%22b%22%0d%0a%C4%85/c.txt`);
    expect(headers['content-disposition']).toBe(
      'inline; filename="a%20%22b%22___%2Fc.txt"; filename*=UTF-8\'\'a%20%22b%22%0D%0A%C4%85%2Fc.txt',
    );
  });

  test('a tar of a document gives 406, and an unknown type of IPLD 400', async () => {
    const json = cidFor(Buffer.from('{}'), { codec: 'dag-json' });
    await blocks.putMany([{ cid: json, bytes: Buffer.from('{}') }]);
    expect((await get(`/ipfs/${json}?format=tar`)).status).toBe(406);
    expect((await get(`/ipfs/${root}`, { headers: { accept: 'application/vnd.ipld.unknown' } })).status).toBe(400);
  });

  test.each([
    ['/ipfs/%ff', 400],
    [`/ipfs/${'a/'.repeat(300)}`, 400],
    [`/${'a'.repeat(20_000)}`, 414],
    ['/ipns/no-such.example.org', 500],
    ['/', 404],
  ])('the target %.40s gives %i', async (target, status) => {
    expect((await get(target)).status).toBe(status);
  });

  test('a corrupt store is a fault of the service, not a response', async () => {
    const broken: GatewayOptions['blocks'] = {
      get: () => Promise.reject(new Error('the disk is broken')),
      has: () => Promise.resolve(true),
    };
    await expect(get(`/ipfs/${root}/page.html`, {}, { blocks: broken })).rejects.toThrow('the disk is broken');
  });
});
