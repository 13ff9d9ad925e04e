import { concatBytes } from '@cairn/platform';
import { sha256 } from '@noble/hashes/sha2.js';

/** Hash tree roots and Merkle branches of the SSZ specification (consensus-specs, simple serialize). */
const zeroChunk = new Uint8Array(32);
/** Roots of empty trees by depth. */
const zeroRoots: Uint8Array[] = [zeroChunk];

function hashPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes([left, right]));
}

function zeroRoot(depth: number): Uint8Array {
  for (let have = zeroRoots.length; have <= depth; have++) {
    const below = zeroRoots[have - 1] as Uint8Array;
    zeroRoots.push(hashPair(below, below));
  }
  return zeroRoots[depth] as Uint8Array;
}

/** Root of a tree over 32-byte chunks, padded with zeros to `leaves` (a power of two). */
export function merkleize(chunks: readonly Uint8Array[], leaves: number): Uint8Array {
  let level = chunks;
  const depth = Math.log2(leaves);
  for (let at = 0; at < depth; at++) {
    const next: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) next.push(hashPair(level[i] as Uint8Array, level[i + 1] ?? zeroRoot(at)));
    level = next;
  }
  return level[0] ?? zeroRoot(depth);
}

/** Root of a container: its field roots, padded to the next power of two. */
export function containerRoot(fields: readonly Uint8Array[]): Uint8Array {
  return merkleize(fields, 2 ** Math.ceil(Math.log2(fields.length)));
}

/** Root of an unsigned integer of up to 256 bits: little endian. */
export function uintRoot(value: bigint | number): Uint8Array {
  const chunk = new Uint8Array(32);
  let rest = BigInt(value);
  for (let i = 0; rest > 0n; i++, rest >>= 8n) chunk[i] = Number(rest & 0xffn);
  return chunk;
}

/** Root of a byte vector. */
export function bytesRoot(bytes: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 32) {
    const chunk = new Uint8Array(32);
    chunk.set(bytes.subarray(at, at + 32));
    chunks.push(chunk);
  }
  return containerRoot(chunks);
}

/** Root of a byte list of at most 32 bytes: its content with its length mixed in. */
export function shortListRoot(bytes: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(32);
  chunk.set(bytes);
  return hashPair(chunk, uintRoot(bytes.length));
}

/** Verifies that `leaf` is at a generalized index below `root` (`is_valid_merkle_branch`). */
export function isValidBranch(
  leaf: Uint8Array,
  branch: readonly Uint8Array[],
  generalizedIndex: number,
  root: Uint8Array,
): boolean {
  if (branch.length !== Math.floor(Math.log2(generalizedIndex))) return false;
  let node = leaf;
  let index = generalizedIndex;
  for (const sibling of branch) {
    node = index % 2 === 1 ? hashPair(sibling, node) : hashPair(node, sibling);
    index = Math.floor(index / 2);
  }
  return areEqual(node, root);
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
