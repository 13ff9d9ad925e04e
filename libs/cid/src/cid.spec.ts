import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bases } from 'multiformats/basics';
import * as Digest from 'multiformats/hashes/digest';
import {
  CID,
  type CodecName,
  cidCharactersMax,
  cidFor,
  cidInBackground,
  codecName,
  codecs,
  digest,
  digestInBackground,
  formatCid,
  isCid,
  parseCid,
  verifyBytes,
  verifyBytesInBackground,
} from './index.ts';

const vectors = (name: string) => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const fails = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

interface BlockVector {
  readonly cid: string;
  readonly codec: CodecName;
  readonly version: 0 | 1;
  readonly bytes: string;
}
const { blocks, decoded } = vectors('cids') as {
  blocks: BlockVector[];
  decoded: { cid: string; version: number; codec: CodecName; multihash: string };
};

const textBases = Object.values(bases).filter(({ name }) => name !== 'identity');
const arbitraryBase = fc.constantFrom(...textBases.map(({ name }) => name));
const arbitraryCid = fc
  .record({
    bytes: fc.uint8Array({ maxLength: 100 }),
    codec: fc.oneof(fc.constantFrom(...Object.values(codecs)), fc.integer({ min: 0, max: 0x7fffffff })),
    hash: fc.constantFrom('sha2-256', 'identity', 'sha2-512', 'blake2b-256', 'keccak-256'),
  })
  .map(({ bytes, codec, hash }) => cidFor(bytes, { codec, hash }));

describe('vectors', () => {
  test.each(blocks)('$cid names its bytes', ({ cid, bytes, ...options }) => {
    expect(cidFor(bytesOf(bytes), options).toString()).toBe(cid);
    verifyBytes(parseCid(cid), bytesOf(bytes));
    expect(parseCid(cid)).toMatchObject({ version: options.version, code: codecs[options.codec] });
  });

  test('a CID decodes to version, codec and multihash', () => {
    const cid = parseCid(decoded.cid);
    expect(cid).toMatchObject({ version: decoded.version, code: codecs[decoded.codec] });
    expect(hexOf(cid.multihash.bytes)).toBe(decoded.multihash);
  });

  test('every multibase of the table decodes as published', () => {
    const { text, vectors: texts } = vectors('multibase') as { text: string; vectors: Record<string, string> };
    // The published text is no CID. It is wrapped into one as an identity digest, printed in each base, and compared.
    const cid = CID.createV1(codecs.raw, Digest.create(0, new TextEncoder().encode(text)));
    for (const [name, published] of Object.entries(texts)) {
      const base = textBases.find((candidate) => candidate.name === name);
      expect(Buffer.from(base?.decoder.decode(published) ?? []).toString()).toBe(text);
      expect(parseCid(formatCid(cid, name)).equals(cid)).toBe(true);
      expect(formatCid(cid, name).startsWith(published.charAt(0))).toBe(true);
    }
    expect(Object.keys(texts).sort()).toEqual(
      textBases
        .map(({ name }) => name)
        .filter((name) => name !== 'base256emoji')
        .sort(),
    );
  });
});

describe('parseCid', () => {
  test('reads what formatCid prints, in every base', () => {
    fc.assert(
      fc.property(arbitraryCid, arbitraryBase, (cid, base) => {
        const text = formatCid(cid, base);
        expect(text.length).toBeLessThanOrEqual(cidCharactersMax);
        expect(parseCid(text).equals(cid)).toBe(true);
        expect(hexOf(parseCid(text).bytes)).toBe(hexOf(cid.bytes));
      }),
    );
  });

  test('returns a CID or throws CID_INVALID for every input', () => {
    const likely = fc.tuple(fc.constantFrom('Qm', 'b', 'z', 'k', 'f', 'm', 'u', '9', '🚀'), fc.string());
    const value = fc.oneof(
      fc.anything(),
      likely.map(([prefix, rest]) => prefix + rest),
    );
    fc.assert(
      fc.property(value, (input) => {
        try {
          expect(parseCid(input)).toBeInstanceOf(CID);
        } catch (error) {
          expect(error).toMatchObject({ code: 'CID_INVALID', hint: expect.any(String) });
        }
      }),
      { numRuns: 500 },
    );
  });

  test('one changed character never gives the same CID', () => {
    const cid = parseCid('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku');
    const text = cid.toString();
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: text.length - 1 }),
        fc.constantFrom(...'abcdefghij234567'),
        (at, letter) => {
          fc.pre(text[at] !== letter);
          const changed = text.slice(0, at) + letter + text.slice(at + 1);
          expect(isCid(changed) && parseCid(changed).equals(cid)).toBe(false);
        },
      ),
    );
  });

  test.each([
    [undefined, 'A value of type undefined is not a CID: expected text.'],
    [null, 'type null'],
    ['', 'too short'],
    ['!bafy', 'selected encoding not supported'],
    ['bafk', 'is not a CID'],
    ['bafkrei0', 'Non-base32 character'],
    ['zQmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH', 'is not a CID'],
    ['QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQ0', 'Non-base58btc character'],
    ['f0155122000', 'is not a CID'],
    ['f02551200', 'is not a CID'],
    ['/ipfs/bafkqaaa', 'selected encoding not supported'],
  ])('refuses %j', (input, message) => {
    expect(() => parseCid(input)).toThrow(fails('CID_INVALID', message));
  });

  test('refuses numbers in a non-minimal encoding, so that content has one CID', () => {
    expect(parseCid('f01550003666f6f').code).toBe(codecs.raw);
    expect(() => parseCid('f01d5000003666f6f')).toThrow(fails('CID_INVALID', 'not minimal'));
  });

  test('refuses a text of a megabyte by its length and quotes only its start', () => {
    const error = (() => {
      try {
        return parseCid('z'.repeat(1_000_000));
      } catch (thrown) {
        return thrown as Error;
      }
    })();
    expect(error).toEqual(fails('CID_INVALID', `longer than ${cidCharactersMax} characters`));
    expect((error as Error).message.length).toBeLessThan(200);
  });
});

describe('formatCid', () => {
  test('keeps version 0 in base58btc, and lists the known bases in the error', () => {
    const version0 = parseCid('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH');
    expect(formatCid(version0, 'base32')).toBe('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH');
    expect(formatCid(CID.createV1(version0.code, version0.multihash), 'base16')).toMatch(/^f01701220/);
    expect(() => formatCid(CID.createV1(version0.code, version0.multihash), 'base33')).toThrow(
      expect.objectContaining({ code: 'MULTIBASE_UNKNOWN', hint: expect.stringContaining('base32, ') }),
    );
  });
});

describe('cidFor', () => {
  test('version 0 requires dag-pb and sha2-256', () => {
    const bytes = bytesOf('0a020801');
    expect(() => cidFor(bytes, { codec: 'raw', version: 0 })).toThrow(fails('CID_INVALID', 'version 0'));
    expect(() => cidFor(bytes, { codec: 'dag-pb', hash: 'blake3', version: 0 })).toThrow(
      fails('CID_INVALID', 'version 0'),
    );
  });

  test.each<[option: string, value: unknown]>([
    ['codec', 'dag-cobr'],
    ['codec', 'constructor'],
    ['codec', undefined],
    ['codec', -1],
    ['codec', 1.5],
    ['codec', Number.NaN],
    ['version', 2],
    ['version', '0'],
  ])('refuses the %s %p with CID_INVALID and names the option', async (option, value) => {
    const options = { codec: 'raw', [option]: value } as unknown as Parameters<typeof cidFor>[1];
    const refused = { code: 'CID_INVALID', details: { option } };
    expect(() => cidFor(bytesOf('00'), options)).toThrow(expect.objectContaining(refused));
    await expect(cidInBackground(bytesOf('00'), options)).rejects.toMatchObject(refused);
  });

  test('codecs are found by name and by code', () => {
    for (const [name, code] of Object.entries(codecs)) expect(codecName(code)).toBe(name);
    expect(codecName(0x999)).toBeUndefined();
  });
});

describe('verifyBytes', () => {
  test('accepts the bytes of a CID and refuses all others', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.constantFrom('identity', 'sha2-256', 'sha1', 'blake3', 'shake-256', 'blake2b-160', 'keccak-256'),
        fc.nat(),
        (bytes, hash, at) => {
          const cid = cidFor(bytes, { codec: 'raw', hash });
          verifyBytes(cid, bytes);
          const flipped = Uint8Array.from(bytes);
          const index = at % bytes.length;
          flipped[index] = (flipped[index] ?? 0) ^ 1;
          for (const wrong of [flipped, bytes.subarray(1), Buffer.concat([bytes, Buffer.of(0)])])
            expect(() => verifyBytes(cid, wrong)).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
        },
      ),
    );
  });

  test('names the block, the expected multihash and the actual one', () => {
    const cid = cidFor(Buffer.from('right'), { codec: 'raw' });
    expect(() => verifyBytes(cid, Buffer.from('wrong'))).toThrow(
      expect.objectContaining({
        code: 'BLOCK_CORRUPT',
        message: expect.stringContaining(cid.toString()),
        details: {
          cid: cid.toString(),
          expected: hexOf(cid.multihash.bytes),
          actual: hexOf(digest('sha2-256', Buffer.from('wrong')).bytes),
        },
      }),
    );
  });

  test('compares a truncated digest over its length, and refuses an empty one', () => {
    const bytes = Buffer.from('foo');
    const { digest: full, code } = digest('sha2-256', bytes);
    const cut = (length: number) => CID.createV1(codecs.raw, Digest.create(code, full.subarray(0, length)));
    verifyBytes(cut(20), bytes);
    expect(() => verifyBytes(cut(20), Buffer.from('bar'))).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
    expect(() => verifyBytes(cut(0), bytes)).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
    const long = CID.createV1(codecs.raw, Digest.create(code, Buffer.concat([full, full])));
    expect(() => verifyBytes(long, bytes)).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
  });

  test('refuses an unsupported hash function', () => {
    const cid = CID.createV1(codecs.raw, Digest.create(0xd5, new Uint8Array(16)));
    expect(() => verifyBytes(cid, new Uint8Array())).toThrow(fails('HASH_UNSUPPORTED', '0xd5'));
  });
});

test('digestBytes truncates a digest, and extends that of an extendable-output function', () => {
  const bytes = Buffer.from('content');
  const cut = cidFor(bytes, { codec: 'raw', digestBytes: 20 });
  expect(cut.multihash.digest).toEqual(cidFor(bytes, { codec: 'raw' }).multihash.digest.subarray(0, 20));
  verifyBytes(cut, bytes);
  const long = cidFor(bytes, { codec: 'raw', hash: 'blake3', digestBytes: 64 });
  expect(long.multihash.digest.length).toBe(64);
  verifyBytes(long, bytes);
  for (const digestBytes of [0, 33, -1, 1.5, Number.NaN])
    expect(() => cidFor(bytes, { codec: 'raw', digestBytes })).toThrow(
      expect.objectContaining({ code: 'HASH_UNSUPPORTED' }),
    );
});

test('the digest of identity is the whole content, so another length is refused', () => {
  const bytes = Buffer.from('content');
  const whole = cidFor(bytes, { codec: 'raw', hash: 'identity', digestBytes: bytes.length });
  expect(whole).toEqual(cidFor(bytes, { codec: 'raw', hash: 'identity' }));
  expect(digest('identity', new Uint8Array(0), 0).digest).toHaveLength(0);
  for (const digestBytes of [0, 6, 8])
    expect(() => cidFor(bytes, { codec: 'raw', hash: 'identity', digestBytes })).toThrow(
      expect.objectContaining({ code: 'HASH_UNSUPPORTED' }),
    );
});

describe('digestInBackground', () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);

  test.each([
    ['a long block', 'sha2-256', bytes, undefined],
    ['a short block', 'sha2-256', bytes.subarray(0, 100), undefined],
    ['a truncated digest', 'sha2-256', bytes, 20],
    ['another hash function', 'blake3', bytes, 48],
  ] as const)('computes the multihash that digest computes: %s', async (_, name, content, length) => {
    expect(await digestInBackground(name, content, length)).toEqual(digest(name, content, length));
  });

  test('more blocks than threads all get their own multihash', async () => {
    const blocks = Array.from({ length: 20 }, (_, seed) => Uint8Array.from(bytes, (byte) => byte ^ seed));
    const found = await Promise.all(blocks.map((block) => digestInBackground('sha2-256', block)));
    expect(found).toEqual(blocks.map((block) => digest('sha2-256', block)));
  });

  test.each([0, 33, 1.5, Number.NaN])('refuses a digest of %d bytes as digest does', async (length) => {
    await expect(digestInBackground('sha2-256', bytes, length)).rejects.toMatchObject({ code: 'HASH_UNSUPPORTED' });
  });

  test('refuses text', async () => {
    await expect(digestInBackground('sha2-256', 'text' as never)).rejects.toMatchObject({ code: 'BYTES_INVALID' });
  });
});

test('cidInBackground names a block as cidFor does, and refuses what it refuses', async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 249);
  for (const options of [
    { codec: 'raw' },
    { codec: 'dag-pb', version: 0 },
    { codec: 'dag-cbor', hash: 'blake3' },
    { codec: 'raw', digestBytes: 20 },
  ] as const)
    expect(await cidInBackground(bytes, options)).toEqual(cidFor(bytes, options));
  await expect(cidInBackground(bytes, { codec: 'raw', version: 0 })).rejects.toMatchObject({ code: 'CID_INVALID' });
  await expect(cidInBackground(bytes, { codec: 'raw', hash: 'md4' })).rejects.toMatchObject({
    code: 'HASH_UNSUPPORTED',
  });
});

describe('verifyBytesInBackground', () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 253);
  const wrong = Uint8Array.from(bytes, (byte, index) => (index === 299_999 ? byte ^ 1 : byte));

  test.each([
    ['a whole digest', {}],
    ['a truncated digest', { digestBytes: 20 }],
    ['another hash function', { hash: 'sha2-512' }],
  ])('decides as verifyBytes does: %s', async (_, options) => {
    const cid = cidFor(bytes, { codec: 'raw', ...options });
    await verifyBytesInBackground(cid, bytes);
    let expected: unknown;
    try {
      verifyBytes(cid, wrong);
    } catch (error) {
      expected = error;
    }
    await expect(verifyBytesInBackground(cid, wrong)).rejects.toEqual(expected);
  });

  test('more blocks than threads are all verified', async () => {
    const cid = cidFor(bytes, { codec: 'raw' });
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => verifyBytesInBackground(cid, index % 4 === 3 ? wrong : bytes)),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    await verifyBytesInBackground(cid, bytes);
  });

  test('refuses text', async () => {
    await expect(verifyBytesInBackground(cidFor(bytes, { codec: 'raw' }), 'text' as never)).rejects.toMatchObject({
      code: 'BYTES_INVALID',
    });
  });
});
