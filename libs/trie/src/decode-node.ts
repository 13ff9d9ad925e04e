import { hexDigitsFromBytes } from '@cairn/platform';
import { decodeRlp, type RlpItem } from '@cairn/rlp';
import { CorruptNodeError } from './errors.ts';
import { decodePath } from './nibbles.ts';
import type { TrieNodeReader } from './node-store.ts';

/**
 * A node as its RLP describes it (Yellow Paper, appendix D). Children are references: the hash of a node, or the item of a
 * node whose RLP is shorter than 32 bytes.
 */
export type DecodedNode =
  | { readonly kind: 'leaf'; readonly path: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'extension'; readonly path: Uint8Array; readonly child: RlpItem }
  /** 16 references, empty where there is no child, and the value of the key that ends here. */
  | { readonly kind: 'branch'; readonly items: readonly RlpItem[] };

const hashBytes = 32;

/** Loads and decodes a referenced node. @throws BLOCK_CORRUPT and any error of `nodes` */
export function readNode(nodes: TrieNodeReader, reference: RlpItem): DecodedNode {
  if (!(reference instanceof Uint8Array)) return decodeNode(reference);
  if (reference.length !== hashBytes) throw corrupt('a hash of 32 bytes', `${reference.length} bytes`);
  // Stores over a map return no bytes, or `undefined` in plain JavaScript, for a node that they do not have.
  const encoded: Uint8Array | undefined = nodes.load(reference);
  if (encoded === undefined || encoded.length === 0) throw corruptAt(reference, 'nothing');
  return decodeNode(itemOf(encoded, reference));
}

function itemOf(encoded: Uint8Array, hash: Uint8Array): RlpItem {
  try {
    return decodeRlp('trie node', encoded);
  } catch (error) {
    throw corruptAt(hash, `${encoded.length} bytes that are not RLP`, error);
  }
}

function corruptAt(hash: Uint8Array, actual: string, cause?: unknown): CorruptNodeError {
  return new CorruptNodeError(`0x${hexDigitsFromBytes(hash)}`, 'the RLP of a node', actual, cause);
}

/** @throws BLOCK_CORRUPT for an item that is no trie node */
export function decodeNode(item: RlpItem): DecodedNode {
  if (item instanceof Uint8Array) throw corrupt('a list', 'bytes');
  if (item.length === 17) return { kind: 'branch', items: item };
  const [encoded, second] = item;
  if (!(encoded instanceof Uint8Array) || second === undefined || item.length !== 2)
    throw corrupt('2 or 17 items', `${item.length}`);
  const { nibbles: path, isLeaf } = decodePath(encoded);
  if (!isLeaf) {
    if (path.length === 0 || isEmptyItem(second)) throw corrupt('an extension with a path and a child', 'neither');
    return { kind: 'extension', path, child: second };
  }
  if (!(second instanceof Uint8Array)) throw corrupt('a value', 'a list');
  return { kind: 'leaf', path, value: second };
}

export function isEmptyItem(item: RlpItem): boolean {
  return item instanceof Uint8Array && item.length === 0;
}

export function corrupt(expected: string, actual: string): CorruptNodeError {
  return new CorruptNodeError('(inline)', expected, actual);
}
