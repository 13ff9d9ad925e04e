import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compareRecords,
  createIpnsRecord,
  decodeIpnsRecord,
  generateIpnsKey,
  type IpnsKey,
  ipnsNameText,
  ipnsSelector,
  ipnsValidator,
  nameOfRoutingKey,
  parseIpnsName,
  peerIdText,
  routingKeyOf,
  verifyIpnsRecord,
} from './index.ts';
import { recordFields } from './ipns-record.ts';
import { encodeProtobuf, protobufFields } from './protobuf-fields.ts';

const value = '/ipfs/bafkqabtimvwgy3yk';
const nowMs = Date.parse('2026-01-01T00:00:00Z');
const hourNs = 3_600_000_000_000n;
const key = await generateIpnsKey({ type: 'ed25519' });

interface Options {
  readonly key?: IpnsKey;
  readonly sequence?: bigint;
  readonly validUntil?: string;
  readonly hasV1?: boolean;
}

function record({ key: signer = key, sequence = 7n, validUntil = '2026-01-02T00:00:00.120Z', hasV1 }: Options = {}) {
  const validUntilMs = Date.parse(validUntil);
  return createIpnsRecord(signer, {
    value,
    sequence,
    validUntilMs,
    ttlNs: hourNs,
    ...(hasV1 !== undefined && { hasV1 }),
  });
}

/** Replaces or removes one field of the message. */
function withField(bytes: Uint8Array, field: number, replacement?: Uint8Array | bigint): Uint8Array {
  const fields = [...protobufFields(bytes)].map(
    ({ field: each, number, bytes: value }) => [each, number ?? value ?? new Uint8Array()] as const,
  );
  const kept = fields.filter(([each]) => each !== field);
  return encodeProtobuf(replacement === undefined ? kept : [...kept, [field, replacement]]);
}

describe('a record', () => {
  test('has the signed fields', () => {
    const fields = verifyIpnsRecord(key.name, record(), nowMs);
    expect(fields).toMatchObject({ value, sequence: 7n, ttlSeconds: 3600, validity: '2026-01-02T00:00:00.12Z' });
  });

  test('has a time to live that ends with the validity', () => {
    const bytes = record({ validUntil: '2026-01-01T00:10:00Z' });
    expect(verifyIpnsRecord(key.name, bytes, nowMs).ttlSeconds).toBe(600);
  });

  test('has the fields of Kubo in the order of their numbers, and those of V2 alone without V1', () => {
    const numbersOf = (bytes: Uint8Array) => [...protobufFields(bytes)].map(({ field }) => field);
    expect(numbersOf(record())).toEqual([1, 2, 3, 4, 5, 6, 8, 9]);
    expect(numbersOf(record({ hasV1: false }))).toEqual([8, 9]);
    expect(verifyIpnsRecord(key.name, record({ hasV1: false }), nowMs)).toMatchObject({ value });
  });

  test.each(['ed25519', 'rsa'] as const)('signed with %s verifies for its name only', async (type) => {
    const signer = await generateIpnsKey({ type });
    const bytes = record({ key: signer });
    expect(verifyIpnsRecord(signer.name, bytes, nowMs)).toMatchObject({ value });
    expect(() => verifyIpnsRecord(key.name, bytes, nowMs)).toThrow(/public key|signature/);
    expect(() => verifyIpnsRecord(signer.name, record(), nowMs)).toThrow(/public key|signature/);
  });

  test('keeps any sequence, time to live and V1 fields through a round trip', () => {
    const sequences = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const ttls = fc.bigInt({ min: -1n, max: 2n ** 63n - 1n });
    const values = fc.string({ unit: 'binary', maxLength: 300 }).map((text) => `/ipfs/${text}`);
    fc.assert(
      fc.property(sequences, ttls, values, fc.boolean(), (sequence, ttlNs, text, hasV1) => {
        const bytes = createIpnsRecord(key, { value: text, sequence, ttlNs, hasV1, validUntilMs: nowMs + 60_000 });
        const read = verifyIpnsRecord(key.name, bytes, nowMs);
        const value = new TextDecoder().decode(new TextEncoder().encode(text));
        expect(read).toMatchObject({ value, sequence, ttlNs });
        expect(read.ttlSeconds).toBeGreaterThanOrEqual(0);
        expect(read.ttlSeconds).toBeLessThanOrEqual(60);
      }),
      { numRuns: 200 },
    );
  });

  test('with any flipped bit keeps its meaning or is refused', () => {
    const bytes = record();
    const whole = verifyIpnsRecord(key.name, bytes, nowMs);
    for (let at = 0; at < bytes.length * 8; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
      try {
        expect(verifyIpnsRecord(key.name, changed, nowMs)).toEqual(whole);
      } catch (error) {
        expect(error).toMatchObject({ code: 'IPNS_RECORD_INVALID' });
      }
    }
  });

  test('of any bytes is refused with one code', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => verifyIpnsRecord(key.name, bytes, nowMs)).toThrow('The IPNS record is invalid');
      }),
    );
  });
});

describe('verifyIpnsRecord refuses', () => {
  const signed = record();
  test.each<[string, Uint8Array, string, string]>([
    ['an expired record', record({ validUntil: '2025-12-31T23:59:59Z' }), 'record is expired', 'verify'],
    ['a missing signature', withField(signed, recordFields.signatureV2), 'signature verification failed', 'verify'],
    [
      'another signature',
      withField(signed, recordFields.signatureV2, new Uint8Array(64)),
      'signature verification failed',
      'verify',
    ],
    [
      'another V1 value',
      withField(signed, recordFields.value, Buffer.from('/ipfs/other')),
      'field "Value" did not match between protobuf and CBOR',
      'verify',
    ],
    [
      'a missing V1 sequence',
      withField(signed, recordFields.sequence),
      'field "Sequence" did not match between protobuf and CBOR',
      'verify',
    ],
    [
      'missing data',
      withField(signed, recordFields.data),
      'record is malformed\nrecord is missing the dag-cbor data field',
      'decode',
    ],
    ['a long record', new Uint8Array(10_241), 'record exceeds allowed size limit', 'decode'],
  ])('%s', (_, bytes, words, stage) => {
    let error: unknown;
    try {
      verifyIpnsRecord(key.name, bytes, nowMs);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'IPNS_RECORD_INVALID', details: { words, stage } });
  });

  test('truncated bytes', () => {
    for (let length = 0; length < signed.length; length++)
      expect(() => verifyIpnsRecord(key.name, signed.subarray(0, length), nowMs)).toThrow('The IPNS record is invalid');
  });
});

test('a record that is larger than the limit is not created', () => {
  const options = { sequence: 0n, ttlNs: hourNs, validUntilMs: nowMs, value: `/ipfs/${'a'.repeat(6000)}` };
  expect(() => createIpnsRecord(key, options)).toThrow('more than 10240');
});

test.each<[field: string, value: unknown]>([
  ['sequence', -1n],
  ['sequence', 2n ** 64n],
  ['sequence', 1],
  ['ttlNs', 2n ** 63n],
  ['ttlNs', 5],
  ['validUntilMs', Number.NaN],
  ['validUntilMs', Number.POSITIVE_INFINITY],
  ['validUntilMs', -1],
  ['validUntilMs', Date.UTC(10_000, 0, 1)],
])('a record with the %s %p is not created', (field, number) => {
  const options = { value, sequence: 0n, ttlNs: hourNs, validUntilMs: nowMs, [field]: number };
  expect(() => createIpnsRecord(key, options)).toThrow(
    expect.objectContaining({ code: 'IPNS_RECORD_INVALID', message: expect.stringContaining(`${field}: expected`) }),
  );
});

test('the newest record has the greater sequence, then the later end, then the greater bytes', () => {
  const records = [
    record({ sequence: 2n, validUntil: '2026-01-09T00:00:00Z' }),
    record({ sequence: 10n, validUntil: '2026-01-02T00:00:00Z' }),
    record({ sequence: 10n, validUntil: '2026-01-03T00:00:00Z' }),
  ];
  expect(ipnsSelector(new Uint8Array(), records)).toBe(2);
  expect(ipnsSelector(new Uint8Array(), records.toReversed())).toBe(0);
  const all = records.map((bytes) => ({ bytes, fields: decodeIpnsRecord(bytes) }));
  for (const one of all)
    for (const other of all)
      expect(Math.sign(compareRecords(one, other))).toBe(-Math.sign(compareRecords(other, one)) + 0);
});

test('the validator of a DHT takes records under their own key', async () => {
  const bytes = createIpnsRecord(key, { value, sequence: 1n, ttlNs: 0n, validUntilMs: Date.now() + 60_000 });
  await ipnsValidator(routingKeyOf(key.name), bytes);
  const other = await generateIpnsKey({ type: 'ed25519' });
  await expect(ipnsValidator(routingKeyOf(other.name), bytes)).rejects.toMatchObject({ code: 'IPNS_RECORD_INVALID' });
  await expect(ipnsValidator(Buffer.from('/pk/x'), bytes)).rejects.toMatchObject({ code: 'IPNS_RECORD_INVALID' });
});

describe('a name', () => {
  const peerId = '12D3KooWLQzUv2FHWGVPXTXSZpdHs7oHbXub2G5WC8Tx4NQhyd2d';
  const text = 'k51qzi5uqu5dk3v4rmjber23h16xnr23bsggmqqil9z2gduiis5se8dht36dam';

  test('is the same as peer ID and as CID', () => {
    expect(String(parseIpnsName(peerId))).toBe(String(parseIpnsName(text)));
    const name = parseIpnsName(peerId);
    expect(name && [ipnsNameText(name), peerIdText(name)]).toEqual([text, peerId]);
    const hashed = parseIpnsName('QmVujd5Vb7moysJj8itnGufN7MEtPRCNHkKpNuA4onsRa3');
    expect(hashed && peerIdText(hashed)).toBe('QmVujd5Vb7moysJj8itnGufN7MEtPRCNHkKpNuA4onsRa3');
    expect(parseIpnsName('example.org')).toBeUndefined();
  });

  test('is the one of its routing key', () => {
    expect(nameOfRoutingKey(routingKeyOf(key.name))?.equals(key.name)).toBe(true);
    expect(nameOfRoutingKey(Buffer.from('/ipns/'))).toBeUndefined();
  });
});
