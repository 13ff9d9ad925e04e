import { findMultibase } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import { decodeCid, decodePeerId, encodeCid, multibaseOfCid } from './cid-parts.ts';
import { formatCidParts } from './format-cid.ts';

// Expected values are responses of Kubo 0.42.
const version0 = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN';
const raw = 'bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am';

const format = (text: string, format: string) => {
  const base = multibaseOfCid(text);
  if (base === undefined) throw new Error(`No multibase of ${text}.`);
  return formatCidParts(format, base, decodeCid(text));
};

describe('decodeCid', () => {
  test.each([version0, raw, 'bafkqaaa', 'k51qzi5uqu5dj6t5wncmn3idoqhtpwa91hpx9ofvv2rqt4ddhck6lxw2yma345'])(
    'reads %s, and its bytes are those of the text',
    (text) => {
      expect(format(text, '%s')).toBe(text);
      expect(encodeCid(decodeCid(text)).length).toBeGreaterThan(0);
    },
  );

  test.each([
    ['', 'invalid cid: cid too short'],
    ['notacid', 'invalid cid: selected encoding not supported'],
    ['bad', 'invalid cid: invalid cid: expected 1 as the cid version number, got: 0'],
    ['zdj7nope', 'invalid cid: invalid cid: varints malformed, could not reach the end'],
    [`${version0.slice(0, -1)}0`, "invalid cid: input isn't valid multihash"],
    [
      'Qmzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
      'invalid cid: length greater than remaining number of bytes in buffer',
    ],
    ['f0155', 'invalid cid: invalid cid: multihash too short. must be >= 2 bytes'],
    ['f01551220', 'invalid cid: invalid cid: length greater than remaining number of bytes in buffer'],
    ['f0155120155aa', 'invalid cid: trailing bytes in data buffer passed to cid Cast'],
    ['f122000', 'invalid cid: invalid cid: not enough bytes for cid v0'],
    ['foo', "invalid cid: encoding/hex: invalid byte: U+006F 'o'"],
    [`f01${'ff'.repeat(9)}01`, 'invalid cid: invalid cid: varints larger than uint63 not supported'],
    ['f018000', 'invalid cid: invalid cid: varint not minimally encoded'],
  ])('refuses %j', (text, message) => {
    expect(() => decodeCid(text)).toThrow(message);
  });
});

describe('formatCidParts', () => {
  test.each([
    [version0, '%P', 'cidv0-dag-pb-sha2-256-32'],
    [raw, '%b %v %V %c %C %h %H %L %s %S %%', `base32 cidv1 1 raw 85 sha2-256 18 32 ${raw} ${raw.slice(1)} %`],
    [raw, '%m', 'bciqfrenvwurnlxyinuh7bmiq7pm5eg5u7rywhlzu2cbinixii33l4ay'],
    [raw, '%d', 'blci3lnjc2xpqq3ip6cyrb66z2in3j7drmoxtjuecq2roqrxwxybq'],
    ['bafkqaaa', '%s%c%P%B%H%C%V%M%D', 'bafkqaaarawcidv1-raw-identity-0b0851aaaa'],
  ])('%s as %s', (text, tokens, printed) => {
    expect(format(text, tokens)).toBe(printed);
  });

  test('refuses an invalid format', () => {
    expect(() => format(raw, '%x')).toThrow('unrecognized specifier in format string: %x');
    expect(() => format(raw, '%')).toThrow('premature end of format string');
    expect(() => format(raw, '%constructor')).not.toThrow();
  });

  test('prints version 0 in base58btc only', () => {
    const base = findMultibase('base32');
    if (base === undefined) throw new Error('No base32.');
    expect(() => formatCidParts('%s', base, decodeCid(version0))).toThrow('invalid base encoding');
  });
});

test('decodePeerId decodes both forms of a peer ID', () => {
  const old = '12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2';
  const cid = 'k51qzi5uqu5dj6t5wncmn3idoqhtpwa91hpx9ofvv2rqt4ddhck6lxw2yma345';
  expect(decodePeerId(old)?.digest.equals(decodePeerId(cid)?.digest ?? Buffer.alloc(0))).toBe(true);
  for (const text of ['notapeer', raw, '1', '']) expect(decodePeerId(text)).toBeUndefined();
});
