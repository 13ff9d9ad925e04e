import { readFileSync } from 'node:fs';
import { cidFor } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import { readValue, type TranscodableCodec, transcodeDag, writeValue } from './index.ts';

const json = (text: string) => Buffer.from(text);
const hex = (text: string) => Buffer.from(text, 'hex');

const { vectors } = JSON.parse(readFileSync(new URL('../vectors/dag-put.json', import.meta.url), 'utf8')) as {
  readonly vectors: readonly [from: TranscodableCodec, bytes: string, to: TranscodableCodec, cid: string][];
};

describe('transcodeDag', () => {
  test('the recorded vectors exist', () => expect(vectors.length).toBeGreaterThan(104));
  test.each(vectors)('%s %s becomes the %s block of Kubo', (from, bytes, to, cid) => {
    expect(cidFor(transcodeDag(hex(bytes), from, to), { codec: to }).toString()).toBe(cid);
  });

  test.each([
    ['18446744073709551615', 'strconv.ParseInt: parsing "18446744073709551615": value out of range'],
    ['1e400', 'strconv.ParseFloat: parsing "1e400": value out of range'],
    ['{"a":1,"a":2}', 'cannot repeat map key "a"'],
    ['{"a":1}{', 'unexpected content after end of json object'],
    ['', 'unexpected EOF'],
    ['{"a":', 'unexpected EOF'],
    ['"a', 'unexpected EOF'],
    ['{a:1}', 'invalid char while expecting start of key: 0x61'],
    ['{"a" 1}', 'expected colon after map key; got 0x31'],
    ['[1 2]', 'expected comma or array close after array value; got 0x32'],
    ['nul', 'invalid char while expecting start of value: 0x6e'],
    ['['.repeat(1025), 'message structure exceeded maximum nesting depth'],
  ])('refuses the JSON %s', (text, reason) => {
    expect(() => transcodeDag(json(text), 'dag-json', 'dag-cbor')).toThrow(
      expect.objectContaining({ code: 'DAG_INVALID', cause: expect.objectContaining({ message: reason }) }),
    );
  });

  test.each([
    ['ff', 'Invalid majorByte: 0xff'],
    ['0102', 'unexpected content after end of cbor object'],
    ['8201', 'unexpected EOF'],
    ['a10101', 'unexpected uint token while expecting map key'],
    ['a2616101616102', 'cannot repeat map key "a"'],
    ['c04101', 'unhandled cbor tag 0'],
    ['d82a4101', 'invalid multibase on IPLD link'],
    ['c0c001', 'unsupported multiple tags on a single data item'],
    ['1c', 'decodeUint: Invalid descriptor: 28'],
    ['9bffffffffffffffff', 'unexpected EOF'],
    ['81'.repeat(1025), 'message structure exceeded maximum nesting depth'],
  ])('refuses the CBOR %s', (bytes, reason) => {
    expect(() => transcodeDag(hex(bytes), 'dag-cbor', 'dag-json')).toThrow(
      expect.objectContaining({ code: 'DAG_INVALID', cause: expect.objectContaining({ message: reason }) }),
    );
  });

  test.each([
    [
      '{"a":1}',
      'raw',
      'func called on wrong kind: "AsBytes" called on a map node (kind: map), but only makes sense on bytes',
    ],
    ['{"a":1}', 'dag-pb', 'invalid key for map dagpb.PBNode: "a": no such field'],
    ['{}', 'dag-pb', 'missing required fields: Links'],
    ['{"/":{"bytes":"AQI"}}', 'json', 'cannot marshal IPLD bytes to this codec'],
    ['{"/":"bafkqaaa"}', 'cbor', 'cannot Marshal ipld links to CBOR'],
  ] as const)('refuses %s as %s', (text, to, reason) => {
    expect(() => transcodeDag(json(text), 'dag-json', to)).toThrow(
      expect.objectContaining({ code: 'VALUE_INVALID', cause: expect.objectContaining({ message: reason }) }),
    );
  });

  test('keeps bytes, and links of every CID version', () => {
    expect(Buffer.from(transcodeDag(json('{"/":{"bytes":"AQI"}}'), 'dag-json', 'raw')).toString('hex')).toBe('0102');
    const node = json('{"Data":{"/":{"bytes":"CAE"}},"Links":[]}');
    const block = transcodeDag(node, 'dag-json', 'dag-pb');
    expect(Buffer.from(transcodeDag(block, 'dag-pb', 'dag-json')).toString()).toBe(node.toString());
  });
});

// Recorded from Kubo 0.42.0: dag/get with output-codec=dag-cbor of the blocks that dag/put creates from these.
test.each([
  ['1.0', 'fb3ff0000000000000'],
  ['1e3', 'fb408f400000000000'],
  ['-0.0', 'fb8000000000000000'],
  ['1', '01'],
])('reading and writing returns the same bytes: %s', (text, expected) => {
  const block = transcodeDag(json(text), 'dag-json', 'dag-cbor');
  expect(Buffer.from(writeValue('dag-cbor', readValue('dag-cbor', block))).toString('hex')).toBe(expected);
});

test.each([
  ['f97c00', 'unsupported value: +Inf'],
  ['f9fc00', 'unsupported value: -Inf'],
  ['f97e00', 'unsupported value: NaN'],
])('dag-json refuses a float that JSON cannot represent: %s', (bytes, message) => {
  expect(() => transcodeDag(hex(bytes), 'dag-cbor', 'dag-json')).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ message }) }),
  );
});
