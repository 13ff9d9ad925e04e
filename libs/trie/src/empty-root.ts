import { keccak256 } from '@cairn/cid';
import { compareBytes } from '@cairn/platform';

/** Root of a trie without entries: Keccak-256 of the RLP of an empty string (Yellow Paper, appendix D). */
export const emptyTrieRoot = keccak256(Uint8Array.of(0x80));

export function isEmptyTrieRoot(root: Uint8Array): boolean {
  return compareBytes(root, emptyTrieRoot) === 0;
}
