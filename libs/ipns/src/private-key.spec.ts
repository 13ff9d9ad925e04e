import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  createIpnsRecord,
  decodeIpnsKey,
  decodePemKey,
  encodeIpnsKey,
  generateIpnsKey,
  ipnsNameText,
  signWith,
  verifyIpnsRecord,
  verifySignature,
} from './index.ts';

const message = Buffer.from('message');
const pemOf = (key: ReturnType<typeof generateKeyPairSync>) =>
  String(key.privateKey.export({ format: 'pem', type: 'pkcs8' }));
const pems = {
  ed25519: pemOf(generateKeyPairSync('ed25519')),
  rsa: pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 })),
  secp256k1: pemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })),
  ecdsa: pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
};

describe.each(Object.entries(pems))('a key of type %s', (type, pem) => {
  test('keeps its name and its signatures through libp2p form', () => {
    const key = decodePemKey(pem);
    const read = decodeIpnsKey(encodeIpnsKey(key));
    expect([read.type, String(read.name)]).toEqual([type, String(key.name)]);
    expect(verifySignature(key.publicKey, message, signWith(read, message))).toBe(true);
    expect(verifySignature(key.publicKey, Buffer.from('other'), signWith(read, message))).toBe(false);
  });

  test('signs records that verify', () => {
    const key = decodePemKey(pem);
    const bytes = createIpnsRecord(key, {
      value: '/ipfs/a',
      sequence: 0n,
      ttlNs: 0n,
      validUntilMs: Date.now() + 60_000,
    });
    expect(verifyIpnsRecord(key.name, bytes).value).toBe('/ipfs/a');
  });
});

test('a key has the name that Kubo gives it', () => {
  const seed = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
  const pem = `-----BEGIN PRIVATE KEY-----\n${Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]).toString('base64')}\n-----END PRIVATE KEY-----\n`;
  expect(ipnsNameText(decodePemKey(pem).name)).toMatch(/^k51qzi5uqu5d/);
});

test.each([
  [{ type: 'rsa', bits: 1024 } as const, 'rsa keys must be >= 2048 bits to be useful'],
  [{ type: 'rsa', bits: 10_000 } as const, 'rsa keys must be <= 8192 bits'],
])('generateIpnsKey refuses %j', async (options, words) => {
  await expect(generateIpnsKey(options)).rejects.toMatchObject({ code: 'IPNS_KEY_INVALID', details: { words } });
});

test('decodeIpnsKey refuses any bytes with one code', async () => {
  const valid = encodeIpnsKey(await generateIpnsKey({ type: 'ed25519' }));
  const cut = fc.nat(valid.length - 1).map((length) => valid.subarray(0, length));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 100 }), cut), (bytes) => {
      expect(() => decodeIpnsKey(bytes)).toThrow('The key cannot be used');
    }),
  );
  const mixed = Uint8Array.from(valid);
  mixed[mixed.length - 1] = (mixed.at(-1) ?? 0) ^ 1;
  expect(() => decodeIpnsKey(mixed)).toThrow('public half');
});

test('decodePemKey refuses other text and other types', () => {
  expect(() => decodePemKey('nonsense')).toThrow('PEM block not found in input data:\nnonsense');
  const { privateKey } = generateKeyPairSync('x25519');
  expect(() => decodePemKey(String(privateKey.export({ format: 'pem', type: 'pkcs8' })))).toThrow('x25519');
  expect(() => decodePemKey('-----BEGIN RSA PRIVATE KEY-----\n')).toThrow('expected PRIVATE KEY');
});

test('decodePemKey repeats nothing of a key in another encoding', async () => {
  const key = await generateIpnsKey({ type: 'ed25519' });
  const text = Buffer.from(encodeIpnsKey(key)).toString('base64');
  const error: unknown = await Promise.resolve(text)
    .then(decodePemKey)
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'IPNS_KEY_INVALID', message: expect.stringContaining('PEM block not found') });
  expect(JSON.stringify([(error as Error).message, error])).not.toContain(text.slice(0, 16));
});

test('verifySignature refuses a key of an unknown type', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  expect(() => verifySignature(Buffer.from([8, 9, 18, 1, 1]), message, sign(null, message, privateKey))).toThrow(
    'unknown',
  );
});
