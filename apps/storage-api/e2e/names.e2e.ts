import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { openLmdbNameStore, parseIpnsName, verifyIpnsRecord } from '@cairn/ipns';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { create, type KuboRPCClient } from 'kubo-rpc-client';
import { startKubo } from '../../../tools/peers/kubo.mjs';
import { basic, Service } from './service.ts';

const service = new Service();
const value = '/ipfs/bafkqabtimvwgy3yk';
let ipfs: KuboRPCClient;
beforeAll(async () => {
  await service.makeAccounts();
  await service.start();
  ipfs = clientOf('ann');
});
afterAll(() => service.remove());

function clientOf(account: string): KuboRPCClient {
  return create({ url: `${service.url}/api/v0`, headers: { authorization: basic(account) } });
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function call(url: string, path: string, file?: Uint8Array, account = 'ann'): Promise<Answer> {
  const body = new FormData();
  if (file !== undefined) body.append('file', new Blob([new Uint8Array(file)]), 'file');
  const init = { method: 'POST', headers: { authorization: basic(account) }, ...(file && { body }) };
  const response = await fetch(`${url}/api/v0/${path}`, init);
  return { status: response.status, body: await response.text() };
}

const own = (path: string, file?: Uint8Array, account?: string) => call(service.url, path, file, account);

/** Returns the record of a name from the store of the service. */
async function recordOf(name: string) {
  const cid = parseIpnsName(name);
  const store = await openLmdbNameStore({ directory: join(service.home, 'names') });
  try {
    const found = cid && (await store.records.get(cid));
    if (cid === undefined || found === undefined) throw new Error(`${name} has no record.`);
    return { ...found, fields: verifyIpnsRecord(cid, found.bytes) };
  } finally {
    await store.close();
  }
}

async function last<T>(source: AsyncIterable<T>): Promise<T | undefined> {
  let item: T | undefined;
  for await (item of source);
  return item;
}

// Answers of Kubo 0.42.
test('name/publish reads its path from the body, and refuses a path without a block', async () => {
  await own('key/gen?arg=checked');
  const query = 'name/publish?key=checked&allow-offline=true';
  const piped = await own(query, Buffer.from(`${value}\n`));
  expect([piped.status, JSON.parse(piped.body).Value]).toEqual([200, value]);
  const absent = '/ipfs/bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
  const refused = await own(`${query}&timeout=1s&arg=${absent}`);
  expect([refused.status, JSON.parse(refused.body).Message]).toEqual([500, expect.stringContaining('could not find')]);
  expect((await own(`${query}&resolve=false&arg=${absent}`)).status).toBe(200);
  const removed = await own('key/rm', Buffer.from('checked\n'));
  expect(JSON.parse(removed.body).Keys).toMatchObject([{ Name: 'checked' }]);
});

test('name/publish and name/put print names in base36, as Kubo does with any ipns-base', async () => {
  for (const base of ['base32', 'b58mh', 'nope', '']) {
    const { status, body } = await own(`name/publish?arg=${value}&allow-offline=true&ipns-base=${base}`);
    expect([status, JSON.parse(body)]).toEqual([200, { Name: expect.stringMatching(/^k51/), Value: value }]);
    const { Name } = JSON.parse(body);
    const { bytes } = await recordOf(Name);
    const put = await own(`name/put?arg=${Name}&allow-offline=true&ipns-base=${base}`, bytes);
    expect([put.status, JSON.parse(put.body)]).toEqual([200, { Name, Value: value }]);
  }
});

test('key/sign with an empty key uses self, and an empty base is named', async () => {
  const signed = JSON.parse((await own('key/sign?key=', Buffer.from('data'))).body);
  expect(signed.Key.Name).toBe('self');
  expect((await own('key/list?ipns-base=')).body).toContain('empty multibase encoding');
});

// The areas key and name of interface-ipfs-core. Left out: key.export, which the service does not offer, and name.pubsub.
describe('kubo-rpc-client', () => {
  test('generates, lists, renames and removes keys', async () => {
    const made = await ipfs.key.gen('one', { type: 'ed25519' });
    const rsa = await ipfs.key.gen('two', { type: 'rsa', size: 2048 });
    expect([made.name, rsa.name]).toEqual(['one', 'two']);
    expect((await ipfs.key.list()).map(({ name }) => name)).toEqual(['self', 'one', 'two']);
    expect(await ipfs.key.rename('one', 'three')).toMatchObject({ was: 'one', now: 'three', id: made.id });
    await expect(ipfs.key.rename('two', 'three')).rejects.toThrow('refusing to overwrite');
    expect(await ipfs.key.rm('three')).toMatchObject({ name: 'three', id: made.id });
    await expect(ipfs.key.rm('self')).rejects.toThrow('cannot remove');
    await ipfs.key.rm('two');
  });

  test('publishes and resolves names, with a path, of a key and recursively', async () => {
    const { path, cid } = await ipfs.add('content of a name');
    const [self] = await ipfs.key.list();
    const published = await ipfs.name.publish(`/ipfs/${cid}`, { allowOffline: true });
    expect(published).toEqual({ name: self?.id, value: `/ipfs/${path}` });
    expect(await last(ipfs.name.resolve(`/ipns/${published.name}`))).toBe(`/ipfs/${cid}`);
    const { id } = await ipfs.id();
    expect(await last(ipfs.name.resolve(id.toString()))).toBe(`/ipfs/${cid}`);
    const key = await ipfs.key.gen('other');
    await ipfs.name.publish(`/ipns/${published.name}`, { allowOffline: true, key: 'other' });
    expect(await last(ipfs.name.resolve(key.id, { recursive: true }))).toBe(`/ipfs/${cid}`);
    expect(await last(ipfs.name.resolve(key.id, { recursive: false }))).toBe(`/ipns/${published.name}`);
    expect((await last(ipfs.cat(`/ipns/${key.id}`)))?.length).toBe(17);
    const unknown = 'k51qzi5uqu5dghjous0agrwavl8vzl64xckoqzwqeqwudfr74kfd11zcyk3b7l';
    // The client asks for a stream, which is empty then, as in Kubo.
    expect(await last(ipfs.name.resolve(unknown))).toBeUndefined();
    expect((await own(`name/resolve?arg=${unknown}`)).body).toContain('could not resolve name');
    await ipfs.key.rm('other');
  });
});

test('keys and self of an account are not those of another one', async () => {
  const { body } = await own('key/gen?arg=private');
  const { Id: id } = JSON.parse(body) as { Id: string };
  expect(
    (await own('name/publish?arg=/ipfs/bafkqaaa&allow-offline=true&key=private', undefined, 'bob')).body,
  ).toContain('no key by the given name was found');
  expect((await own(`name/publish?arg=/ipfs/bafkqaaa&allow-offline=true&key=${id}`, undefined, 'bob')).status).toBe(
    500,
  );
  const [ann] = await clientOf('ann').key.list();
  const [bob] = await clientOf('bob').key.list();
  expect(ann?.id).not.toBe(bob?.id);
});

test('publishes that are acknowledged survive kill -9, and the sequence never goes back', async () => {
  await own('key/gen?arg=killed');
  const acknowledged: number[] = [];
  const name = (await clientOf('ann').key.list()).find((key) => key.name === 'killed')?.id ?? '';
  let sequence = -1n;
  for (let round = 0; round < 3; round++) {
    const from = round * 100;
    const publishing = (async () => {
      for (let at = from; at < from + 100; at++) {
        const answer = await own(
          `name/publish?arg=/ipfs/bafkqaaa/${at}&resolve=false&allow-offline=true&key=killed`,
        ).catch(() => undefined);
        if (answer?.status !== 200) return;
        acknowledged.push(at);
        if (acknowledged.length % 10 === 0) process.kill(service.pid, 'SIGKILL');
      }
    })();
    await publishing;
    const { fields } = await recordOf(name);
    expect(fields.sequence).toBeGreaterThan(sequence);
    sequence = fields.sequence;
    // A publish without an answer may be stored as well, none earlier than the last acknowledged one.
    expect(Number(fields.value.split('/').at(-1))).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? 0);
    await service.start();
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(30);
});

test('a real Kubo verifies and resolves records of the service, and the service those of Kubo', async () => {
  const kubo = await startKubo();
  if (kubo === undefined) return;
  try {
    for (const type of ['ed25519', 'rsa']) {
      const { body } = await own(`key/gen?arg=to-kubo-${type}&type=${type}`);
      const { Id: id } = JSON.parse(body) as { Id: string };
      await own(`name/publish?arg=${value}&allow-offline=true&key=to-kubo-${type}`);
      const { bytes } = await recordOf(id);
      const inspected = await call(kubo.url, `name/inspect?verify=${id}`, bytes);
      expect(JSON.parse(inspected.body)).toMatchObject({
        SignatureType: 'V1+V2',
        Validation: { Valid: true, Name: id },
      });
      expect(JSON.parse((await own(`name/inspect?verify=${id}`, bytes)).body)).toEqual(JSON.parse(inspected.body));
      expect((await call(kubo.url, `name/put?arg=${id}&allow-offline=true`, bytes)).status).toBe(200);
      expect(JSON.parse((await call(kubo.url, `name/resolve?arg=${id}`)).body)).toEqual({ Path: value });
    }
    // A key that both import has one name, and each verifies what the other one signs.
    const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
    expect(createPrivateKey(pem).asymmetricKeyType).toBe('ed25519');
    const imported = 'key/import?arg=shared&format=pem-pkcs8-cleartext';
    const [here, there] = [await own(imported, Buffer.from(pem)), await call(kubo.url, imported, Buffer.from(pem))];
    expect(JSON.parse(here.body)).toEqual(JSON.parse(there.body));
    const { Signature } = JSON.parse((await call(kubo.url, 'key/sign?key=shared', Buffer.from('m'))).body) as {
      Signature: string;
    };
    const verified = await own(`key/verify?key=shared&signature=${Signature}`, Buffer.from('m'));
    expect(JSON.parse(verified.body)).toMatchObject({ SignatureValid: true });
  } finally {
    await kubo.stop();
  }
});
