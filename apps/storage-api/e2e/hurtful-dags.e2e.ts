import { request } from 'node:http';
import type { Block } from '@cairn/blockstore';
import { CID, cidFor, codecs } from '@cairn/cid';
import { encodeDag, writeCar } from '@cairn/dag';
import { encodeUnixfsData } from '@cairn/unixfs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { digest as Digest } from 'multiformats';
import { basic, Service } from './service.ts';

const service = new Service();
beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
});
afterAll(() => service.remove());

describe('hostile DAGs', () => {
  const cbor = (value: unknown) => {
    const bytes = encodeDag('dag-cbor', value);
    return { cid: cidFor(bytes, { codec: 'dag-cbor' }), bytes };
  };
  const pb = (node: { Data?: Uint8Array; Links: { Name: string; Hash: CID; Tsize: number }[] }) => {
    const bytes = encodeDag('dag-pb', node);
    return { cid: cidFor(bytes, { codec: 'dag-pb' }), bytes };
  };
  async function importDag(root: CID, blocks: readonly Block[], query = 'pin-roots=true'): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of writeCar([root], blocks)) chunks.push(chunk);
    const form = new FormData();
    form.set('file', new Blob(chunks), 'car');
    return await (await service.post(`dag/import?${query}`, { body: form })).text();
  }

  test('a chain of 20,000 blocks is pinned, walked and moved', async () => {
    const blocks: Block[] = [cbor('the end')];
    for (let n = 0; n < 20_000; n++) blocks.push(cbor({ n, next: blocks.at(-1)?.cid }));
    const root = blocks.at(-1)?.cid as CID;
    expect(JSON.parse(await importDag(root, blocks)).Root.PinErrorMsg).toBe('');
    const stat = await (await service.post(`dag/stat?arg=${root}&progress=false`)).json();
    expect(stat).toMatchObject({ UniqueBlocks: 20_001 });
    const refs = await (await service.post(`refs?arg=${root}&recursive=true`)).text();
    expect(refs.trim().split('\n')).toHaveLength(20_000);
    const car = await (await service.post(`dag/export?arg=${root}`)).arrayBuffer();
    expect(car.byteLength).toBeGreaterThan(20_000 * 40);
  });

  test('a DAG of 60 blocks with 2^59 paths is walked in bounded time', async () => {
    const blocks: Block[] = [cbor('the end')];
    for (let n = 0; n < 60; n++) {
      const { cid } = blocks.at(-1) as Block;
      blocks.push(cbor({ n, one: cid, two: cid, three: cid }));
    }
    const root = blocks.at(-1)?.cid as CID;
    expect(JSON.parse(await importDag(root, blocks)).Root.PinErrorMsg).toBe('');
    const unique = await (await service.post(`refs?arg=${root}&recursive=true&unique=true`)).text();
    expect(unique.trim().split('\n').length).toBeLessThanOrEqual(60);
    const refs = (await (await service.post(`refs?arg=${root}&recursive=true`)).text()).trim().split('\n');
    expect(JSON.parse(refs.at(-1) ?? '')).toEqual({ Ref: '', Err: expect.stringContaining('ask with unique=true') });
    expect(await (await service.post(`dag/stat?arg=${root}&progress=false`)).json()).toMatchObject({
      UniqueBlocks: 61,
    });
  });

  test('a sharded directory that links to one shard many times is refused', async () => {
    // HAMT shards of fanout 256 and hash murmur3: every link leads to the shard below, over 16 levels.
    const shard = encodeUnixfsData({
      type: 'hamt-sharded-directory',
      data: new Uint8Array(32).fill(0xff),
      hashType: 0x22,
      fanout: 256,
    });
    const blocks: Block[] = [pb({ Data: encodeUnixfsData({ type: 'file', fileSize: 0 }), Links: [] })];
    for (let depth = 0; depth < 16; depth++) {
      const { cid, bytes } = blocks.at(-1) as Block;
      const Links = Array.from({ length: 256 }, (_, slot) => ({
        Name: slot.toString(16).toUpperCase().padStart(2, '0') + (depth === 0 ? 'name' : ''),
        Hash: cid,
        Tsize: bytes.length,
      }));
      blocks.push(pb({ Data: shard, Links }));
    }
    const root = blocks.at(-1)?.cid as CID;
    await importDag(root, blocks, 'pin-roots=false');
    for (const command of ['ls', 'get']) {
      const answer = await service.post(`${command}?arg=/ipfs/${root}`);
      const message = answer.ok ? await streamErrorOf(`${command}?arg=/ipfs/${root}`) : await answer.text();
      expect(message).toMatch(/not a valid UnixFS node/);
    }
    expect(await service.echo('still here')).toBe('still here');
  });

  test('a file that declares more bytes than it has ends with an error', async () => {
    const leaf = { bytes: Buffer.from('leaf'), cid: cidFor(Buffer.from('leaf'), { codec: 'raw' }) };
    const root = pb({
      Data: encodeUnixfsData({ type: 'file', fileSize: 5_000_000_000, blockSizes: [5_000_000_000] }),
      Links: [{ Name: '', Hash: leaf.cid, Tsize: 4 }],
    });
    await importDag(root.cid, [leaf, root], 'pin-roots=false');
    const answer = await service.post(`cat?arg=${root.cid}`);
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringMatching(/declares 5000000000/)]);
  });

  test('an identity CID over 128 bytes is refused', async () => {
    const long = CID.createV1(codecs.raw, Digest.create(0, new Uint8Array(129)));
    for (const command of ['cat', 'block/get', 'pin/add', 'dag/get', 'files/stat']) {
      const answer = await service.post(`${command}?arg=/ipfs/${long}`);
      expect([command, answer.status, await answer.text()]).toEqual([command, 400, expect.stringMatching(/128/)]);
    }
  });

  test('a CAR whose blocks have digests of no bytes is refused', async () => {
    for (const hash of [0x00, 0x12, 0x13, 0x19, 0x1e]) {
      const cid = CID.createV1(codecs.raw, Digest.create(hash, new Uint8Array(0)));
      const chunks: Uint8Array[] = [];
      for await (const chunk of writeCar([cid], [{ cid, bytes: Buffer.from('a') }])) chunks.push(chunk);
      const form = new FormData();
      form.set('file', new Blob(chunks), 'car');
      const answer = await service.post('dag/import?pin-roots=false', { body: form });
      expect([hash, answer.status, await answer.text()]).toEqual([
        hash,
        400,
        expect.stringMatching(hash === 0 ? /length of the identity hash \(0\)/ : /digest too small: .* got 0 bytes/),
      ]);
    }
  });

  test('the memory of the process did not grow', () => {
    expect(service.memoryPeakMib).toBeLessThan(300);
  });
});

/** Returns the trailer of a response with status 200. */
function streamErrorOf(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}/api/v0/${path}`, { method: 'POST', headers: { authorization: basic('ann') } });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume().once('end', () => resolve(String(response.trailers['x-stream-error'])));
    });
    sent.end();
  });
}
