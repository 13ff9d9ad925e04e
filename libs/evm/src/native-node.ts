// Functions that are native in Node. native-portable.ts has the same for browsers; native.spec.ts compares the two.
import { hash } from 'node:crypto';

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

const scratch = Buffer.alloc(32);

/** Latin-1 text with one character per byte, for up to 32 bytes: the cheapest Map key for bytes. */
export function mapKeyFromBytes(bytes: Uint8Array): string {
  scratch.set(bytes);
  return scratch.toString('latin1', 0, bytes.length);
}
