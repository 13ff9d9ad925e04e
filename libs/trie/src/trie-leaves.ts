import { compareBytes, concatBytes } from '@cairn/platform';
import type { RlpItem } from '@cairn/rlp';
import { isEmptyItem, readNode } from './decode-node.ts';
import { isEmptyTrieRoot } from './empty-root.ts';
import { bytesOfNibbles, nibblesOf } from './nibbles.ts';
import type { TrieNodeReader } from './node-store.ts';

/** An entry of a trie. */
export interface TrieLeaf {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Part of a trie that has not been read yet. */
interface Subtree {
  readonly reference: RlpItem;
  readonly path: Uint8Array;
}

/**
 * Yields the leaves of a trie in the order of their keys. All keys must have the same length.
 * @param start the first key, of any length; leaves before it are skipped without reading their nodes
 * @throws BLOCK_CORRUPT for a node that is missing or wrong
 */
export function* trieLeaves(nodes: TrieNodeReader, root: Uint8Array, start: Uint8Array): Generator<TrieLeaf> {
  if (isEmptyTrieRoot(root)) return;
  const first = nibblesOf(start);
  const pending: Subtree[] = [{ reference: root, path: new Uint8Array(0) }];
  for (let subtree = pending.pop(); subtree !== undefined; subtree = pending.pop()) {
    const node = readNode(nodes, subtree.reference);
    if (node.kind === 'branch') {
      // The stack returns the last pushed child first.
      for (let nibble = 15; nibble >= 0; nibble--) {
        const reference = node.items[nibble] as RlpItem;
        if (isEmptyItem(reference)) continue;
        const path = concatBytes([subtree.path, Uint8Array.of(nibble)]);
        if (!isBefore(path, first)) pending.push({ reference, path });
      }
      continue;
    }
    const path = concatBytes([subtree.path, node.path]);
    if (node.kind === 'extension') {
      if (!isBefore(path, first)) pending.push({ reference: node.child, path });
    } else if (compareBytes(path, first) >= 0) yield { key: bytesOfNibbles(path), value: node.value };
  }
}

/** Reports whether all keys that begin with `path` are smaller than `start`. */
function isBefore(path: Uint8Array, start: Uint8Array): boolean {
  for (let at = 0; at < path.length; at++) {
    const bound = start[at];
    // A start that ends here lies before all longer keys.
    if (bound === undefined) return false;
    const nibble = path[at] as number;
    if (nibble !== bound) return nibble < bound;
  }
  return false;
}
