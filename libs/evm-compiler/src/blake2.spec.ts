import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Blake2 } from './blake2.ts';

const blake2 = new Blake2();
const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');

/** State of BLAKE2b-512 before its first block (RFC 7693, section 2.5). */
const unkeyed =
  '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b';

/** An input of EIP-152. */
function inputOf({
  rounds = 12,
  message = Buffer.alloc(0),
  final = 1,
}: {
  readonly rounds?: number;
  readonly message?: Buffer;
  readonly final?: number;
}): Buffer {
  const input = Buffer.alloc(213);
  input.writeUInt32BE(rounds);
  input.write(unkeyed, 4, 'hex');
  input.set(message, 68);
  input.writeUInt32LE(message.length, 196);
  input[212] = final;
  return input;
}

describe('Blake2.compress', () => {
  // EIP-152, test vectors 4 to 7.
  test.each([
    [
      0,
      1,
      '08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
    ],
    [
      12,
      1,
      'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
    ],
    [
      12,
      0,
      '75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
    ],
    [
      1,
      1,
      'b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fba551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421',
    ],
  ])('returns the vector of EIP-152 for %i rounds and final flag %i', (rounds, final, expected) => {
    expect(hex(blake2.compress(inputOf({ rounds, final, message: Buffer.from('abc') })))).toBe(expected);
  });

  test('hashes one block as OpenSSL does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 128 }), (bytes) => {
        const message = Buffer.from(bytes);
        expect(hex(blake2.compress(inputOf({ message })))).toBe(createHash('blake2b512').update(message).digest('hex'));
      }),
    );
  });

  test.each([
    ['shorter', inputOf({}).subarray(1)],
    ['longer', Buffer.concat([inputOf({}), Buffer.alloc(1)])],
    ['with the flag 2', inputOf({ final: 2 })],
  ])('refuses an input that is %s', (_, input) => expect(blake2.compress(input)).toBeUndefined());
});
