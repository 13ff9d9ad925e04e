import { createRequire } from 'node:module';
import type { Secp256k1 as WebAssemblySecp256k1 } from '@bitauth/libauth';
import { recoverPublicKey as recoverSlowly } from './recover-slowly.ts';

/** Returns the uncompressed public key of a signature, x and y; `undefined` when no key matches the signature. */
export type Recover = (hash: Uint8Array, signature: Uint8Array, yParity: number) => Uint8Array | undefined;

const uncompressedBytes = 65;
// Copies of libsecp256k1 that `copy-native.mjs` takes from the package secp256k1. Tests run from sources and use the second.
const nativePlaces = ['./native/', '../dist/native/'];
const nativeNames = ['secp256k1.node', 'secp256k1.glibc.node', 'secp256k1.musl.node'];

/** Used part of the addon. */
interface NativeSecp256k1 {
  /** Writes the uncompressed key to `output` and returns 0; returns an error number otherwise. */
  ecdsaRecover(output: Uint8Array, signature: Uint8Array, recoveryId: number, hash: Uint8Array): number;
}

/** Loads libsecp256k1 as machine code; `undefined` when no build fits this platform. */
export function loadNative(): Recover | undefined {
  const machine = `${process.platform}-${process.arch}`;
  for (const file of nativePlaces.flatMap((place) => nativeNames.map((name) => `${place}${machine}/${name}`))) {
    try {
      const addon = new (createRequire(import.meta.url)(file).Secp256k1)() as NativeSecp256k1;
      return (hash, signature, yParity) => {
        const output = new Uint8Array(uncompressedBytes);
        return addon.ecdsaRecover(output, signature, yParity, hash) === 0 ? output.subarray(1) : undefined;
      };
    } catch {
      // Built for another platform or C library.
    }
  }
  return undefined;
}

/** Loads libsecp256k1 as WebAssembly: less than half as fast as machine code, and ten times as fast as JavaScript. */
export async function loadWebAssembly(): Promise<Recover> {
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const library: WebAssemblySecp256k1 = await instantiateSecp256k1();
  return (hash, signature, yParity) => {
    const key = library.recoverPublicKeyUncompressed(signature, yParity as 0 | 1, hash);
    return typeof key === 'string' ? undefined : key.subarray(1);
  };
}

let best: Recover | undefined;

function chooseBest(): Recover {
  const native = loadNative();
  if (native !== undefined) return native;
  loadWebAssembly().then(
    (recover) => {
      best = recover;
    },
    () => {},
  );
  return recoverSlowly;
}

/**
 * Recovers the public key of a signature (SEC 1, section 4.1.6): x and y, 32 bytes each.
 * @param hash 32 bytes
 * @param signature r and s, 32 bytes each
 * @param yParity 0 or 1
 * @returns `undefined` when no key matches the signature
 */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array, yParity: number): Uint8Array | undefined {
  best ??= chooseBest();
  return best(hash, signature, yParity);
}
