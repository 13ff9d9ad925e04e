/** Random bytes as hexadecimal digits without a prefix. */
export function hexOf(random, bytes) {
  return Buffer.from(random.bytes(bytes)).toString('hex');
}
