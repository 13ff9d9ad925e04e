import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { recoverPublicKey as recoverSlowly } from './recover-slowly.ts';

const uncompressedBytes = 65;

/** What of libsecp256k1 is used here: the addon itself, since what the package puts around it throws for each bad signature. */
interface NativeSecp256k1 {
  /** Gives 0 and the key, uncompressed, in `output`; else the number of a fault. */
  ecdsaRecover(output: Uint8Array, signature: Uint8Array, recoveryId: number, hash: Uint8Array): number;
}

/** libsecp256k1 where the package has it for this machine: some 25 times as fast as the same in JavaScript. */
let native: NativeSecp256k1 | undefined | null = null;

function loadNative(): NativeSecp256k1 | undefined {
  try {
    const require = createRequire(import.meta.url);
    const place = require.resolve('secp256k1/bindings.js');
    const { Secp256k1 } = createRequire(place)('node-gyp-build')(dirname(place));
    return new Secp256k1() as NativeSecp256k1;
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
  if (native === undefined) return recoverSlowly(hash, signature, yParity);
  const output = new Uint8Array(uncompressedBytes);
  return native.ecdsaRecover(output, signature, yParity, hash) === 0 ? output.subarray(1) : undefined;
}
