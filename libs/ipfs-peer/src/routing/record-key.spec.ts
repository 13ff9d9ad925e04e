import { expect, test } from '@jest/globals';
import { peerIdFromString } from '@libp2p/peer-id';
import { recordKeyText, recordType } from './record-key.ts';

const peer = peerIdFromString('12D3KooWFLtdzdMhp57bkHd8aThxmdoTnPjGmQpBp1nf23k5uHBp');
const ipnsKey = Buffer.concat([Buffer.from('/ipns/'), peer.toMultihash().bytes]);

test('the key of an IPNS record is shown with its name', () => {
  expect(recordType(ipnsKey)).toBe('ipns');
  expect(recordKeyText(ipnsKey)).toBe('/ipns/k51qzi5uqu5di89i4sazav92w0hh8t1qzydm5ief09yt5p2vbr3pidr5xuugoj');
});

test.each([
  ['/ipns/', '"/ipns/"'],
  ['/ipns/x', '"/ipns/x"'],
  [`/pk/${'a'.repeat(200)}`, `"/pk/${'a'.repeat(96)}"`],
  ['\u0000"', '"\\u0000\\""'],
])('the key %j is shown as %s', (key, text) => {
  expect(recordKeyText(Buffer.from(key, 'latin1'))).toBe(text);
});
