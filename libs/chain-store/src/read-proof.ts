import { CorruptBlockError, decodeRlp, type RlpItem } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { Database } from '@cairn/embedded-store';
import { decodePath, nibblesOf } from './trie-paths.ts';

/** What a walk down a trie found. */
export interface TriePath {
  /** The nodes that are addressed by their hashes, from the root on. Nodes within them are part of these. */
  readonly nodes: readonly Uint8Array[];
  /** The value at the end; `undefined` where the trie has none for the key. */
  readonly value: Uint8Array | undefined;
}

const emptyRoot = Buffer.from(keccak256(Uint8Array.of(0x80)));

/**
 * Walks down a trie whose keys are hashed (Yellow Paper, appendix D), each node held to its name.
 * @throws BLOCK_CORRUPT for a node that is missing or wrong
 */
export function readProof(table: Database, root: Uint8Array, key: Uint8Array): TriePath {
  const nodes: Uint8Array[] = [];
  if (emptyRoot.equals(root)) return { nodes, value: undefined };
  const path = nibblesOf(keccak256(key));
  let at = 0;
  let next: RlpItem = root;
  while (true) {
    let node: RlpItem;
    if (next instanceof Uint8Array) {
      const raw = load(table, next);
      nodes.push(raw);
      node = decodeRlp('trie node', raw);
    } else node = next;
    if (!Array.isArray(node)) throw corrupt('a list', 'bytes');
    if (node.length === 17) {
      const child: RlpItem | undefined = node[at === path.length ? 16 : (path[at] ?? 0)];
      at++;
      if (child === undefined || isEmpty(child)) return { nodes, value: undefined };
      if (at > path.length) return { nodes, value: bytes(child) };
      next = child;
      continue;
    }
    const [encoded, child] = node;
    if (encoded === undefined || child === undefined || node.length !== 2)
      throw corrupt('2 or 17 items', `${node.length}`);
    const { nibbles, isLeaf } = decodePath(bytes(encoded));
    const isOnPath = nibbles.every((nibble, index) => nibble === path[at + index]);
    at += nibbles.length;
    if (!isOnPath || (isLeaf && at !== path.length)) return { nodes, value: undefined };
    if (isLeaf) return { nodes, value: bytes(child) };
    next = child;
  }
}

function load(table: Database, name: Uint8Array): Uint8Array {
  const raw = table.get(name);
  const hash = Buffer.from(name).toString('hex');
  if (raw === undefined) throw corrupt(hash, 'missing');
  const actual = Buffer.from(keccak256(raw)).toString('hex');
  if (actual !== hash) throw corrupt(hash, actual);
  return raw;
}

function corrupt(expected: string, found: string): CorruptBlockError {
  return new CorruptBlockError('of the state', 'trie node', expected, found);
}

function isEmpty(item: RlpItem): boolean {
  return item instanceof Uint8Array && item.length === 0;
}

function bytes(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) return item;
  throw corrupt('bytes', 'a list');
}
