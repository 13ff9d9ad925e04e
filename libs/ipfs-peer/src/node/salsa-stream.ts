import { xsalsa20 } from '@noble/ciphers/salsa.js';

const blockBytes = 64;
/** Blocks of the keystream that the library numbers: 256 GiB. */
const blocksMax = 2 ** 32 - 1;

/** Encrypts, or decrypts, the next bytes of a stream. @throws RangeError when the keystream is used up */
export type StreamCipher = (bytes: Uint8Array) => Uint8Array;

/**
 * Returns XSalsa20 as a stream, as private networks use it. The WebAssembly of the package `xsalsa20` is not used: two of its
 * streams grow their shared memory in turn with each call, until a call throws after about 65,000 of them.
 */
export function createSalsaStream({ key, nonce }: { readonly key: Uint8Array; readonly nonce: Uint8Array }) {
  let position = 0;
  const cipher: StreamCipher = (bytes) => {
    const block = Math.floor(position / blockBytes);
    const offset = position % blockBytes;
    if (block + Math.ceil((offset + bytes.length) / blockBytes) > blocksMax)
      throw new RangeError('The keystream of a connection is used up after 256 GiB. Connect again.');
    // The library begins at a block: the used part of the first one is encrypted again and dropped.
    const buffer = new Uint8Array(offset + bytes.length);
    buffer.set(bytes, offset);
    xsalsa20(key, nonce, buffer, buffer, block);
    position += bytes.length;
    return buffer.subarray(offset);
  };
  return cipher;
}
