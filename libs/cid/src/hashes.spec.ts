import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { blake2b, blake2s } from '@noble/hashes/blake2.js';
import { blake3 } from '@noble/hashes/blake3.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { sha3_256, shake256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';
import { assertHashAllowed, codecs, digest, hashes, hashFunction, keccak256, verifyBytes } from './index.ts';
import * as nativeHashes from './native-hashes-node.ts';
import * as portableHashes from './native-hashes-portable.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const { vectors } = JSON.parse(readFileSync(new URL('../vectors/multihash.json', import.meta.url), 'utf8')) as {
  vectors: [name: string, text: string, multihash: string][];
};

test.each(vectors)('%s of "%s"', (name, text, expected) => {
  const bytes = Buffer.from(text);
  const multihash = Digest.decode(Buffer.from(expected, 'hex'));
  expect(multihash.code).toBe(hashFunction(name).code);
  verifyBytes(CID.createV1(codecs.raw, multihash), bytes);
  if (multihash.size === digest(name, bytes).size) expect(hex(digest(name, bytes).bytes)).toBe(expected);
});

test('every function is found by name and by code, and its digest has the declared length', () => {
  const bytes = Buffer.from('content');
  for (const [name, { code, digestBytes, compute }] of hashes) {
    expect(hashFunction(code)).toBe(hashFunction(name));
    expect(compute(bytes).length).toBe(name === 'identity' ? bytes.length : digestBytes);
    expect(hex(digest(code, bytes).bytes)).toBe(hex(digest(name, bytes).bytes));
  }
  expect(new Set([...hashes.values()].map(({ code }) => code)).size).toBe(hashes.size);
});

test('native and portable functions return the same digests', () => {
  const plain: Record<string, (bytes: Uint8Array) => Uint8Array> = {
    'sha2-256': sha256,
    'sha3-256': sha3_256,
    'blake2b-512': (bytes) => blake2b(bytes, { dkLen: 64 }),
    'blake2s-256': (bytes) => blake2s(bytes, { dkLen: 32 }),
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 20, max: 128 }), (bytes, length) => {
      for (const [name, compute] of Object.entries(plain))
        expect(hex(digest(name, bytes).digest)).toBe(hex(compute(bytes)));
      expect(hex(hashFunction('shake-256').compute(bytes, length))).toBe(hex(shake256(bytes, { dkLen: length })));
      expect(hex(hashFunction('blake3').compute(bytes, length))).toBe(hex(blake3(bytes, { dkLen: length })));
    }),
  );
});

test('keccak256 is the original Keccak: the hash of no bytes is that of empty code in Ethereum', () => {
  expect(hex(keccak256(new Uint8Array()))).toBe('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
});

describe('assertHashAllowed', () => {
  const multihash = (code: number, length: number) => Digest.create(code, new Uint8Array(length));
  const refused = (reason: string) =>
    expect.objectContaining({ code: 'HASH_UNSUPPORTED', message: expect.stringContaining(reason) });

  // Kubo's list (boxo, verifcid/allowlist.go).
  test.each([
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x56, 0xb214, 0xb240, 0xb254, 0xb260,
  ])('allows 0x%s', (code) => {
    assertHashAllowed(multihash(code, 20));
  });

  test.each([0x18, 0xd4, 0xd5, 0x22, 0xb213, 0xb253, 0x1012])('refuses %i', (code) => {
    expect(() => assertHashAllowed(multihash(code, 32))).toThrow(refused('is not supported'));
  });

  test('refuses digests that are too short or too long, and identity content that is too long', () => {
    expect(() => assertHashAllowed(multihash(0x12, 19))).toThrow(
      refused('digest too small: sha2-256 digest got 19 bytes, minimum 20'),
    );
    expect(() => assertHashAllowed(multihash(0x1e, 129))).toThrow(
      refused('digest too large: blake3 digest got 129 bytes, maximum 128'),
    );
    assertHashAllowed(multihash(0x1e, 128));
    assertHashAllowed(multihash(0, 0));
    assertHashAllowed(multihash(0, 128));
    expect(() => assertHashAllowed(multihash(0, 129))).toThrow(
      refused('digest too large: identity digest got 129 bytes, maximum 128'),
    );
  });

  test('quotes the requested name, truncated', () => {
    expect(() => hashFunction('x'.repeat(10_000))).toThrow(refused(`${'x'.repeat(64)} is not supported`));
    expect(() => digest('md5', Buffer.from('a'))).toThrow(refused('md5'));
  });
});

test('digest and verifyBytes refuse text in place of bytes, on every platform', () => {
  const text = 'hello' as unknown as Uint8Array;
  const cid = CID.parse('bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq');
  for (const use of [() => digest('sha2-256', text), () => keccak256(text), () => verifyBytes(cid, text)])
    expect(use).toThrow(
      expect.objectContaining({
        code: 'BYTES_INVALID',
        details: { parameter: 'bytes', got: 'a string of 5 characters' },
      }),
    );
});

test('the portable functions return the same digests as OpenSSL', () => {
  const [native, portable] = [{ ...nativeHashes }, { ...portableHashes }];
  const { shake256: nativeShake, sha256InThread: _, createTagger: __, ...fixed } = native;
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 20, max: 128 }), (bytes, length) => {
      for (const name of Object.keys(fixed) as (keyof typeof fixed)[])
        expect(hex(portable[name](bytes))).toBe(hex(native[name](bytes)));
      expect(hex(portable.shake256(bytes, length))).toBe(hex(nativeShake(bytes, length)));
    }),
  );
});
