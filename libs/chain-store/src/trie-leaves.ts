import { CorruptBlockError, decodeRlp, type RlpItem } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { NodeSource } from './trie.ts';
import { decodePath, nibblesOf } from './trie-paths.ts';

/** A leaf of a trie whose keys are hashes. */
export interface TrieLeaf {
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const emptyRoot = Buffer.from(keccak256(Uint8Array.of(0x80)));

/**
 * The leaves of a trie in the order of their keys, from the first that is not before `start` (of any length) on.
 * @throws BLOCK_CORRUPT for a node that is missing or wrong
 */
export function* trieLeaves(nodes: NodeSource, root: Uint8Array, start: Uint8Array): Generator<TrieLeaf> {
  if (!emptyRoot.equals(root)) yield* leavesBelow(nodes, root, [], nibblesOf(start));
}

function* leavesBelow(
  nodes: NodeSource,
  reference: RlpItem,
  path: readonly number[],
  start: Uint8Array,
): Generator<TrieLeaf> {
  const node = reference instanceof Uint8Array ? decodeRlp('trie node', nodes.load(reference)) : reference;
  if (!Array.isArray(node)) throw new CorruptBlockError('of the state', 'trie node', 'a list', 'bytes');
  if (node.length === 17) {
    for (const [nibble, child] of node.slice(0, 16).entries()) {
      const below = [...path, nibble];
      if (isThere(child) && !isBefore(below, start)) yield* leavesBelow(nodes, child, below, start);
    }
    return;
  }
  const [encoded, child] = node;
  if (!(encoded instanceof Uint8Array) || child === undefined)
    throw new CorruptBlockError('of the state', 'trie node', '2 or 17 items', `${node.length}`);
  const { nibbles, isLeaf } = decodePath(encoded);
  const below = [...path, ...nibbles];
  if (isBefore(below, start)) return;
  if (!isLeaf) yield* leavesBelow(nodes, child, below, start);
  else if (child instanceof Uint8Array) yield { key: bytesOf(below), value: child };
}

/** Whether everything with this beginning is before a key. */
function isBefore(path: readonly number[], start: Uint8Array): boolean {
  for (const [at, nibble] of path.entries()) {
    const bound = start[at];
    // A start that ends here is before all that goes on.
    if (bound === undefined || nibble > bound) return false;
    if (nibble < bound) return true;
  }
  return false;
}

const isThere = (item: RlpItem): boolean => !(item instanceof Uint8Array) || item.length > 0;

const bytesOf = (nibbles: readonly number[]) =>
  Buffer.from(nibbles.map((nibble) => nibble.toString(16)).join(''), 'hex');
