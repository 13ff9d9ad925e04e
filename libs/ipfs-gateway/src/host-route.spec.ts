import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import { createGateway } from './index.ts';

const bytes = Buffer.from('<h1>Page</h1>');
const cid = cidFor(bytes, { codec: 'raw' });
const blocks = createMemoryBlockstore();
await blocks.putMany([{ cid, bytes }]);

async function get(target: string, host = 'dweb.example') {
  const dnslink = async (domain: string) => (domain === 'site.example' ? { path: `/ipfs/${cid}` } : undefined);
  const gateway = createGateway({ blocks, names: { dnslink }, subdomainHosts: [{ host: 'dweb.example' }] });
  const { status, headers } = await gateway.handle({ method: 'GET', host, target, headers: {} });
  return [status, headers.location];
}

describe('a subdomain gateway', () => {
  const origin = `http://${cid}.ipfs.dweb.example`;

  test.each([
    `/ipfs/${cid}`,
    `/%69pfs/${cid}`,
    `/ipfs%2F${cid}`,
    `/ipfs/%62${String(cid).slice(1)}`,
    `/x%2F..%2Fipfs/${cid}`,
  ])('serves %s from the origin of its content only', async (path) => {
    expect(await get(`${path}?a=b`)).toEqual([301, `${origin}/?a=b`]);
    expect(await get(`${path}/a%20b%3Fc`)).toEqual([301, `${origin}/a%20b%3Fc`]);
  });

  test('redirects an escaped DNSLink name to its subdomain', async () => {
    expect(await get('/%69pns/site.example/a')).toEqual([301, 'http://site.example.ipns.dweb.example/a']);
    expect(await get('/ipns/site.example%2Fa')).toEqual([301, 'http://site.example.ipns.dweb.example/a']);
  });

  test.each(['other.example%3F', 'other.example%23', 'other.example%5C', 'user%40other.example', 'other.example%3A80'])(
    'refuses the name %s, which would end the host of the redirect',
    async (name) => {
      expect(await get(`/ipns/${name}/`)).toEqual([400, undefined]);
    },
  );

  test('writes a CID of any base as a label', async () => {
    expect(await get(`/ipfs/${encodeURIComponent('🚀🪐👀🚀🚀')}/a`)).toEqual([
      301,
      'http://bafkqaaa.ipfs.dweb.example/a',
    ]);
  });

  test('accepts a host with an empty port', async () => {
    expect((await get('/', `${cid}.ipfs.dweb.example:`))[0]).toBe(200);
  });
});

test.each(['dweb.example', '127.0.0.1'])('a doubled namespace is redirected on %s', async (host) => {
  expect(await get(`/ipfs/ipfs/${cid}/a%20b?c`, host)).toEqual([301, `/ipfs/${cid}/a%20b?c`]);
  expect(await get('/ipfs/ipns/site.example/', host)).toEqual([301, '/ipns/site.example/']);
  expect((await get('/ipfs/ipfs/nonsense', host))[0]).toBe(400);
});
