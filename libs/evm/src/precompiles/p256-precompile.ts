import { p256 } from '@noble/curves/nist.js';

const inputBytes = 160;
const noBytes = new Uint8Array(0);
const valid = Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? 1 : 0));

/** P256VERIFY (EIP-7951): hash, r, s and the public key, 32 bytes each coordinate. No output for what is not valid. */
export function p256Verify(data: Uint8Array): Uint8Array {
  if (data.length !== inputBytes) return noBytes;
  const publicKey = new Uint8Array(65);
  publicKey[0] = 4; // Uncompressed.
  publicKey.set(data.subarray(96), 1);
  try {
    const isValid = p256.verify(data.subarray(32, 96), data.subarray(0, 32), publicKey, {
      lowS: false,
      prehash: false,
    });
    return isValid ? valid : noBytes;
  } catch {
    // Numbers out of range, or a point that is not on the curve.
    return noBytes;
  }
}
