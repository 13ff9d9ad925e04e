import { secp256k1 } from '@noble/curves/secp256k1.js';

/** Does the work of `recover-public-key.ts` in JavaScript, for browsers and platforms without a native build. */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array, yParity: number): Uint8Array | undefined {
  try {
    const whole = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(yParity);
    return whole.recoverPublicKey(hash).toBytes(false).subarray(1);
  } catch {
    return undefined;
  }
}
