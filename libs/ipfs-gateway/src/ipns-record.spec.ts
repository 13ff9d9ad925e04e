import { generateKeyPairSync, sign } from 'node:crypto';
import { CID } from '@cairn/cid';
import { encodeDag } from '@cairn/dag';
import { expect, test } from '@jest/globals';
import { parseIpnsName, verifyIpnsRecord } from './index.ts';

const value = '/ipfs/bafkqabtimvwgy3yk';
const nowMs = Date.parse('2026-01-01T00:00:00Z');

interface RecordOptions {
  readonly validity?: string;
  readonly v1Value?: string;
  readonly flips?: boolean;
}

/** Signs a record with a new Ed25519 key. */
function record({ validity = '2026-01-02T00:00:00.123456789Z', v1Value = value, flips = false }: RecordOptions = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const key = Buffer.concat([Buffer.from([8, 1, 18, 32]), raw]);
  const name = CID.decode(Uint8Array.of(1, 0x72, 0, key.length, ...key));
  const data = encodeDag('dag-cbor', {
    Value: Buffer.from(value),
    Validity: Buffer.from(validity),
    ValidityType: 0,
    Sequence: 7,
    TTL: 3_600_000_000_000,
  });
  const signature = sign(null, Buffer.concat([Buffer.from('ipns-signature:'), data]), privateKey);
  if (flips) signature[0] = (signature[0] ?? 0) ^ 1;
  const bytes = Buffer.concat([field(1, Buffer.from(v1Value)), field(8, signature), field(9, data)]);
  return { name, bytes };
}

function field(number: number, bytes: Uint8Array): Buffer {
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
}

test('verifyIpnsRecord returns the fields of a signed record', () => {
  const { name, bytes } = record();
  expect(verifyIpnsRecord(name, bytes, nowMs)).toMatchObject({ value, sequence: 7n, ttlSeconds: 3600 });
});

test('the time to live ends with the validity', () => {
  const { name, bytes } = record({ validity: '2026-01-01T00:10:00Z' });
  expect(verifyIpnsRecord(name, bytes, nowMs).ttlSeconds).toBe(600);
});

test.each<[string, RecordOptions, string]>([
  ['an expired record', { validity: '2025-12-31T23:59:59Z' }, 'expired'],
  ['a broken signature', { flips: true }, 'signature'],
  ['another V1 value', { v1Value: '/ipfs/other' }, 'V1 field'],
  ['a validity that is no time', { validity: 'tomorrow' }, 'not a time'],
])('verifyIpnsRecord refuses %s', (_, options, reason) => {
  const { name, bytes } = record(options);
  expect(() => verifyIpnsRecord(name, bytes, nowMs)).toThrow(reason);
});

test('verifyIpnsRecord refuses a record of another name, truncated bytes and a long record', () => {
  const { name, bytes } = record();
  expect(() => verifyIpnsRecord(record().name, bytes, nowMs)).toThrow('signature');
  for (let length = 0; length < bytes.length; length++)
    expect(() => verifyIpnsRecord(name, bytes.subarray(0, length), nowMs)).toThrow('The IPNS record is invalid');
  expect(() => verifyIpnsRecord(name, new Uint8Array(10_241), nowMs)).toThrow('more than 10240');
});

test('parseIpnsName reads peer IDs and CIDs as one name', () => {
  const name = parseIpnsName('12D3KooWLQzUv2FHWGVPXTXSZpdHs7oHbXub2G5WC8Tx4NQhyd2d');
  expect(String(name)).toBe(String(parseIpnsName('k51qzi5uqu5dk3v4rmjber23h16xnr23bsggmqqil9z2gduiis5se8dht36dam')));
  expect(parseIpnsName('example.org')).toBeUndefined();
});
