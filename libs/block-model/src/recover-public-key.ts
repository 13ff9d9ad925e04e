import { createRequire } from 'node:module';
import type { Secp256k1 as WebAssemblySecp256k1 } from '@bitauth/libauth';
import { recoverPublicKey as recoverSlowly } from './recover-slowly.ts';

/** The public key of a signature, uncompressed: x and y; `undefined` where the signature stands for no key. */
export type Recover = (hash: Uint8Array, signature: Uint8Array, yParity: number) => Uint8Array | undefined;

const uncompressedBytes = 65;
// libsecp256k1 as `copy-native.mjs` takes it from the package secp256k1; the second path is that of sources under test.
const nativePlaces = ['./native/', '../dist/native/'];
const nativeNames = ['secp256k1.node', 'secp256k1.glibc.node', 'secp256k1.musl.node'];

/** The part of the addon that is used. */
interface NativeSecp256k1 {
  /** Gives 0 and the key, uncompressed, in `output`; else the number of a fault. */
  ecdsaRecover(output: Uint8Array, signature: Uint8Array, recoveryId: number, hash: Uint8Array): number;
}

/** libsecp256k1 as machine code; `undefined` where there is none for this machine. */
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
      // Another machine, or another C library.
    }
  }
  return undefined;
}

/** libsecp256k1 as WebAssembly: less than half as fast as machine code, and ten times as fast as JavaScript. */
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
 * The public key that made a signature (SEC 1, section 4.1.6): x and y, 32 bytes each.
 * @param hash 32 bytes
 * @param signature r and s, 32 bytes each
 * @param yParity 0 or 1
 * @returns `undefined` where the signature stands for no key
 */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array, yParity: number): Uint8Array | undefined {
  best ??= chooseBest();
  return best(hash, signature, yParity);
}
