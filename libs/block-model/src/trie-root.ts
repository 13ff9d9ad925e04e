// Runs for every block that is imported or read; the plain way through @ethereumjs/mpt is the oracle of its test.

import { keccak256 } from '@cairn/cid';
import { compareBytes } from '@cairn/platform';
import { bytesFromBigint } from './hex.ts';
import { encodeRlp, type RlpItem } from './rlp.ts';

interface Leaf {
  readonly nibbles: Uint8Array;
  readonly value: Uint8Array;
}

const emptyRoot = keccak256(Uint8Array.of(0x80));

/**
 * Root of the Merkle Patricia trie that maps the RLP of 0, 1, 2, … to `values` (Yellow Paper, section 4.4.3 and
 * appendix D): that of transactions, receipts and withdrawals.
 */
export function orderedTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  return trieRoot(values.map((value, index) => [encodeRlp(bytesFromBigint(BigInt(index))), value]));
}

/**
 * Root of the Merkle Patricia trie of these keys and values (Yellow Paper, appendix D), built from the sorted keys in one
 * pass, without keeping a node. No key may come twice or be the beginning of another one. For a trie of accounts or of storage
 * the keys are the Keccak-256 of addresses and slots, the values RLP.
 */
export function trieRoot(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): Uint8Array {
  if (entries.length === 0) return emptyRoot;
  const leaves = entries.map(([key, value]) => ({ nibbles: nibblesOf(key), value }));
  leaves.sort((a, b) => compareBytes(a.nibbles, b.nibbles));
  return keccak256(encodeRlp(node(leaves, 0)));
}

/** The node over leaves that agree in their first `depth` nibbles. */
function node(leaves: readonly Leaf[], depth: number): RlpItem[] {
  const [first] = leaves;
  const last = leaves.at(-1);
  if (first === undefined || last === undefined) return [];
  if (leaves.length === 1) return [compact(first.nibbles.subarray(depth), true), first.value];
  let shared = depth;
  while (first.nibbles[shared] === last.nibbles[shared]) shared++;
  if (shared > depth) return [compact(first.nibbles.subarray(depth, shared), false), reference(branch(leaves, shared))];
  return branch(leaves, depth);
}

function branch(leaves: readonly Leaf[], depth: number): RlpItem[] {
  const items: RlpItem[] = [];
  let at = 0;
  for (let nibble = 0; nibble < 16; nibble++) {
    const start = at;
    while (leaves[at]?.nibbles[depth] === nibble) at++;
    items.push(start === at ? new Uint8Array(0) : reference(node(leaves.slice(start, at), depth + 1)));
  }
  // No key is the beginning of another one, so branches hold no values.
  items.push(new Uint8Array(0));
  return items;
}

/** A node inside its parent: itself when its RLP is shorter than a hash, else the hash. */
function reference(item: RlpItem[]): RlpItem {
  const encoded = encodeRlp(item);
  return encoded.length < 32 ? item : keccak256(encoded);
}

/** Hex-prefix encoding (Yellow Paper, appendix C). */
function compact(nibbles: Uint8Array, isLeaf: boolean): Uint8Array {
  const isOdd = nibbles.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const all = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles];
  return Uint8Array.from(
    { length: all.length / 2 },
    (_, index) => ((all[index * 2] ?? 0) << 4) | (all[index * 2 + 1] ?? 0),
  );
}

function nibblesOf(bytes: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(bytes.length * 2);
  for (const [index, byte] of bytes.entries()) {
    nibbles[index * 2] = byte >> 4;
    nibbles[index * 2 + 1] = byte & 15;
  }
  return nibbles;
}
