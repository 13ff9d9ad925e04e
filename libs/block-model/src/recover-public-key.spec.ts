import { expect, test } from '@jest/globals';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { loadNative, loadWebAssembly, recoverPublicKey } from './recover-public-key.ts';
import { recoverPublicKey as recoverSlowly } from './recover-slowly.ts';

const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');

/** Machine code is present after a build on supported platforms only. */
async function loadAll() {
  return [recoverPublicKey, loadNative() ?? recoverPublicKey, await loadWebAssembly(), recoverSlowly];
}

test('every implementation recovers the key that signed', async () => {
  const all = await loadAll();
  fc.assert(
    fc.property(word, word, (hash, seed) => {
      const key = secp256k1.utils.randomSecretKey(Buffer.concat([seed, seed]).subarray(0, 48));
      const signature = secp256k1.sign(hash, key, { prehash: false, format: 'recovered' });
      const expected = hex(secp256k1.getPublicKey(key, false).subarray(1));
      for (const recover of all) expect(hex(recover(hash, signature.subarray(1), signature[0] ?? 0))).toBe(expected);
    }),
    { numRuns: 20 },
  );
});

test('machine code, WebAssembly and JavaScript agree, also for signatures that have no key', async () => {
  const all = await loadAll();
  const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
  const half = fc.oneof(
    word,
    fc.constantFrom(new Uint8Array(32), new Uint8Array(32).fill(255), order, new Uint8Array(32).fill(1, 31)),
  );
  fc.assert(
    fc.property(word, half, half, fc.constantFrom(0, 1), (hash, r, s, yParity) => {
      const signature = Buffer.concat([r, s]);
      const found = all.map((recover) => hex(recover(hash, signature, yParity)));
      expect(new Set(found).size).toBe(1);
    }),
    { numRuns: 60 },
  );
});
