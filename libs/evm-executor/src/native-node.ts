// Functions that Node has natively; native-portable.ts is the same for browsers, and native.spec.ts compares the two.
import { hash } from 'node:crypto';

/** SHA-256: 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

const scratch = Buffer.alloc(32);

/** One character per byte, 32 at most: the cheapest key of bytes that a Map takes. */
export function keyOf(bytes: Uint8Array): string {
  scratch.set(bytes);
  return scratch.toString('latin1', 0, bytes.length);
}
