import { expect, test } from '@jest/globals';
import { codecs } from './codecs.ts';
import { ipldCodecs, multicodecName, parseMulticodec } from './multicodecs.ts';

test.each([
  ['dag-cbor', 0x71],
  ['113', 0x71],
  ['0x71', 0x71],
  ['0X71', 0x71],
  ['0161', 0x71],
  ['0o161', 0x71],
  ['sha2-256', 0x12],
  ['protobuf', 0x50],
  ['0x50', 0x50],
  ['messagepack', 0x201],
  ['3145728', 0x300000],
  ['0x3fffff', 0x3fffff],
])('parseMulticodec reads %s', (text, code) => {
  expect(parseMulticodec(text)).toBe(code);
});

test.each(['', 'nope', 'DAG-CBOR', '-1', '0x', '0xfffffff', '1.0', ' 113', '9'.repeat(40)])(
  'parseMulticodec returns undefined for %j',
  (text) => {
    expect(parseMulticodec(text)).toBeUndefined();
  },
);

test('ipldCodecs and multicodecName agree with codecs', () => {
  for (const [name, code] of Object.entries(codecs)) expect(ipldCodecs.get(code)).toBe(name);
  for (const [code, name] of ipldCodecs) expect(multicodecName(code)).toBe(name);
  expect(multicodecName(0x1e)).toBe('blake3');
  expect(multicodecName(0x999999)).toBeUndefined();
});
