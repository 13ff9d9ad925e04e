/** Bytes of data that one request signs or verifies. */
export const signedBytesMax = 1024 * 1024;

/** Prefix of Kubo, which no other signed message of libp2p begins with. */
const prefix = Buffer.from('libp2p-key signed message:');

/** Returns the bytes that a signature of `key/sign` is over. */
export function signedBytes(data: Uint8Array): Uint8Array {
  return Buffer.concat([prefix, data]);
}
