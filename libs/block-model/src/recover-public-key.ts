import { createRequire } from 'node:module';
import { secp256k1 } from '@noble/curves/secp256k1.js';

/** What of libsecp256k1 is used here. */
interface NativeSecp256k1 {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, isCompressed: boolean): Uint8Array;
}

/** libsecp256k1 where the package has it for this machine: some 25 times as fast as the same in JavaScript. */
let native: NativeSecp256k1 | undefined | null = null;

function loadNative(): NativeSecp256k1 | undefined {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as NativeSecp256k1;
  } catch {
    return undefined; // No build for this machine.
  }
}

/**
 * The public key that made a signature (SEC 1, section 4.1.6): x and y, 32 bytes each.
 * @param hash 32 bytes
 * @param signature r and s, 32 bytes each
 * @param yParity 0 or 1
 * @returns `undefined` where the signature stands for no key
 */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array, yParity: number): Uint8Array | undefined {
  if (native === null) native = loadNative();
  return native === undefined ? recoverSlowly(hash, signature, yParity) : recoverWith(native, hash, signature, yParity);
}

function recoverWith(
  { ecdsaRecover }: NativeSecp256k1,
  hash: Uint8Array,
  signature: Uint8Array,
  yParity: number,
): Uint8Array | undefined {
  try {
    return ecdsaRecover(signature, yParity, hash, false).subarray(1);
  } catch {
    return undefined;
  }
}

/** The same without native code. */
export function recoverSlowly(hash: Uint8Array, signature: Uint8Array, yParity: number): Uint8Array | undefined {
  try {
    const whole = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(yParity);
    return whole.recoverPublicKey(hash).toBytes(false).subarray(1);
  } catch {
    return undefined;
  }
}
