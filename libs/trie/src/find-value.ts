import type { RlpItem } from '@cairn/rlp';
import { corrupt, isEmptyItem, readNode } from './decode-node.ts';
import { isEmptyTrieRoot } from './empty-root.ts';
import { nibblesOf, sharedLength } from './nibbles.ts';
import type { TrieNodeReader } from './node-store.ts';

/**
 * Walks from the root to a key. Loads only nodes that are referenced by hash, and at most one for each nibble of the key and
 * one more.
 * @throws BLOCK_CORRUPT and any error of `nodes`
 */
export function findValue(nodes: TrieNodeReader, root: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (isEmptyTrieRoot(root)) return undefined;
  const path = nibblesOf(key);
  let at = 0;
  let next: RlpItem = root;
  for (;;) {
    const node = readNode(nodes, next);
    if (node.kind === 'branch') {
      const item: RlpItem = node.items[at === path.length ? 16 : (path[at] as number)] as RlpItem;
      if (isEmptyItem(item)) return undefined;
      if (at === path.length) return bytesOf(item);
      at++;
      next = item;
      continue;
    }
    if (sharedLength(node.path, path, at) < node.path.length) return undefined;
    at += node.path.length;
    if (node.kind === 'leaf') return at === path.length ? node.value : undefined;
    next = node.child;
  }
}

function bytesOf(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) return item;
  throw corrupt('a value', 'a list');
}
