/** Half bytes, the high one first: what the branches of a trie go by. */
export function nibblesOf(key: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(key.length * 2);
  for (let at = 0; at < key.length; at++) {
    const byte = key[at] as number;
    nibbles[2 * at] = byte >> 4;
    nibbles[2 * at + 1] = byte & 15;
  }
  return nibbles;
}

/** The compact form of a path: a flag for leaves, one for odd lengths (Yellow Paper, appendix C). */
export function encodePath(nibbles: Uint8Array, isLeaf: boolean): Uint8Array {
  const isOdd = nibbles.length % 2 === 1;
  const encoded = new Uint8Array((nibbles.length >> 1) + 1);
  encoded[0] = (isLeaf ? 0x20 : 0) | (isOdd ? 0x10 | (nibbles[0] as number) : 0);
  for (let at = isOdd ? 1 : 0, to = 1; at < nibbles.length; at += 2, to++)
    encoded[to] = ((nibbles[at] as number) << 4) | (nibbles[at + 1] as number);
  return encoded;
}

export function decodePath(encoded: Uint8Array): { readonly nibbles: Uint8Array; readonly isLeaf: boolean } {
  const all = nibblesOf(encoded);
  const flags = all[0] ?? 0;
  return { nibbles: all.subarray((flags & 1) === 1 ? 1 : 2), isLeaf: (flags & 2) === 2 };
}
