import { secp256k1 } from '@noble/curves/secp256k1.js';

/** As `recover-public-key.ts` without native code, for browsers and for machines that have no build. */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array, yParity: number): Uint8Array | undefined {
  try {
    const whole = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(yParity);
    return whole.recoverPublicKey(hash).toBytes(false).subarray(1);
  } catch {
    return undefined;
  }
}
