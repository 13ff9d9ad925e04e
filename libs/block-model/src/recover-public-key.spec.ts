import { expect, test } from '@jest/globals';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { recoverPublicKey } from './recover-public-key.ts';
import { recoverPublicKey as recoverSlowly } from './recover-slowly.ts';

const word = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('finds the key that signed', () => {
  fc.assert(
    fc.property(word, word, (hash, seed) => {
      const key = secp256k1.utils.randomSecretKey(Buffer.concat([seed, seed]).subarray(0, 48));
      const signature = secp256k1.sign(hash, key, { prehash: false, format: 'recovered' });
      const expected = secp256k1.getPublicKey(key, false).subarray(1);
      const found = recoverPublicKey(hash, signature.subarray(1), signature[0] ?? 0);
      expect(Buffer.from(found ?? [])).toEqual(Buffer.from(expected));
    }),
    { numRuns: 20 },
  );
});

test('native code and JavaScript come to the same, for signatures of nobody too', () => {
  const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
  const half = fc.oneof(
    word,
    fc.constantFrom(new Uint8Array(32), new Uint8Array(32).fill(255), order, new Uint8Array(32).fill(1, 31)),
  );
  fc.assert(
    fc.property(word, half, half, fc.constantFrom(0, 1), (hash, r, s, yParity) => {
      const signature = Buffer.concat([r, s]);
      const [one, other] = [recoverPublicKey, recoverSlowly].map((recover) => recover(hash, signature, yParity));
      expect(one && Buffer.from(one)).toEqual(other && Buffer.from(other));
    }),
    { numRuns: 60 },
  );
});
