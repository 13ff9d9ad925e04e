// Hot path: computes the transactions, receipts and withdrawals roots of each block that is imported or read.
// trie.bench.ts measures it; @ethereumjs/mpt is the oracle of trie-root.spec.ts.
import { keccak256 } from '@cairn/cid';
import { compareBytes, hexDigitsFromBytes } from '@cairn/platform';
import { encodeRlp, type RlpItem } from '@cairn/rlp';
import { emptyTrieRoot } from './empty-root.ts';
import { EmptyValueError, InvalidKeyError } from './errors.ts';
import { bytesOfNibbles, encodePath, nibblesOf } from './nibbles.ts';

interface Leaf {
  readonly nibbles: Uint8Array;
  readonly value: Uint8Array;
}

const noBytes = new Uint8Array(0);

/**
 * Root of the Merkle Patricia trie that maps the RLP of 0, 1, 2, … to `values` (Yellow Paper, section 4.4.3 and
 * appendix D): the root of transactions, receipts and withdrawals.
 * @throws TRIE_VALUE_EMPTY
 */
export function orderedTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  return trieRoot(values.map((value, index) => [encodeRlp(bytesOfIndex(index)), value]));
}

/** Big-endian without leading zeros; empty for 0. */
function bytesOfIndex(index: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = index; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

/**
 * Root of the Merkle Patricia trie of these entries (Yellow Paper, appendix D). Built from the sorted keys in one pass,
 * without storing nodes. In a trie of accounts or of storage, keys are the Keccak-256 of addresses and slots, values are RLP.
 * @throws TRIE_KEY_INVALID for a key that is given twice or is a prefix of another key; TRIE_VALUE_EMPTY
 */
export function trieRoot(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): Uint8Array {
  if (entries.length === 0) return emptyTrieRoot;
  const leaves = entries.map(([key, value]) => {
    if (value.length === 0) throw new EmptyValueError(hexDigitsFromBytes(key));
    return { nibbles: nibblesOf(key), value };
  });
  leaves.sort((a, b) => compareBytes(a.nibbles, b.nibbles));
  return keccak256(encodeRlp(nodeOver(leaves, 0)));
}

/** Builds the node over leaves that agree in their first `depth` nibbles. */
function nodeOver(leaves: readonly Leaf[], depth: number): RlpItem[] {
  const first = leaves[0] as Leaf;
  const last = leaves[leaves.length - 1] as Leaf;
  if (leaves.length === 1) return [encodePath(first.nibbles.subarray(depth), true), first.value];
  let shared = depth;
  while (shared < first.nibbles.length && first.nibbles[shared] === last.nibbles[shared]) shared++;
  if (shared === first.nibbles.length) {
    const key = hexDigitsFromBytes(bytesOfNibbles(first.nibbles));
    throw new InvalidKeyError(key, 'it is given twice, or is a prefix of another key');
  }
  if (shared === depth) return branchOver(leaves, depth);
  return [encodePath(first.nibbles.subarray(depth, shared), false), reference(branchOver(leaves, shared))];
}

function branchOver(leaves: readonly Leaf[], depth: number): RlpItem[] {
  const items: RlpItem[] = [];
  let at = 0;
  for (let nibble = 0; nibble < 16; nibble++) {
    const start = at;
    while (leaves[at]?.nibbles[depth] === nibble) at++;
    items.push(start === at ? noBytes : reference(nodeOver(leaves.slice(start, at), depth + 1)));
  }
  // No key is a prefix of another key, so branches have no values.
  items.push(noBytes);
  return items;
}

/** Form of a node within its parent: the node itself where its RLP is shorter than a hash, otherwise its hash. */
function reference(item: RlpItem[]): RlpItem {
  const encoded = encodeRlp(item);
  return encoded.length < 32 ? item : keccak256(encoded);
}
