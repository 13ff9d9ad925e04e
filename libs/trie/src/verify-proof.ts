import { keccak256 } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { compareBytes, hexDigitsFromBytes } from '@cairn/platform';
import { emptyTrieRoot, isEmptyTrieRoot } from './empty-root.ts';
import { InvalidKeyError, InvalidProofError } from './errors.ts';
import { findValue } from './find-value.ts';

export const proofLimits = {
  /** Keys of states are hashes. A proof has at most two nodes for each byte of its key, and one more. */
  keyBytesMax: 32,
  /** Contract code is not part of tries; the largest values are receipts and transactions. */
  nodeBytesMax: 65_536,
} as const;

export interface TrieProof {
  /** A trusted root, such as the `stateRoot` of a verified header. */
  readonly root: Uint8Array;
  /** Key within the trie: for accounts and slots the Keccak-256 of their address or number. */
  readonly key: Uint8Array;
  /** Encoded nodes from the root on, from any source. */
  readonly nodes: readonly Uint8Array[];
}

/**
 * Verifies a proof from an untrusted source, such as the `accountProof` of another node. Iterative and bounded by
 * {@link proofLimits}.
 * @returns the proven value; `undefined` where the proof shows that the trie has none for the key
 * @throws PROOF_INVALID for a missing, wrong, superfluous or too large node; TRIE_KEY_INVALID for a key over the limit
 */
export function verifyProof({ root, key, nodes }: TrieProof): Uint8Array | undefined {
  if (key.length > proofLimits.keyBytesMax)
    throw new InvalidKeyError(hexDigitsFromBytes(key.subarray(0, 32)), `it has ${key.length} bytes, at most 32 may be`);
  if (root.length !== emptyTrieRoot.length)
    throw new InvalidProofError(undefined, `its root has ${root.length} bytes, expected ${emptyTrieRoot.length}`);
  const nodesMax = 2 * key.length + 1;
  if (nodes.length > nodesMax)
    throw new InvalidProofError(
      undefined,
      `it has ${nodes.length} nodes, at most ${nodesMax} lie on a path to the key`,
    );
  let used = 0;
  const load = (hash: Uint8Array): Uint8Array => {
    const index = used++;
    const node = nodes[index];
    if (node === undefined) throw new InvalidProofError(index, 'it is missing');
    if (node.length > proofLimits.nodeBytesMax)
      throw new InvalidProofError(
        index,
        `it has ${node.length} bytes, at most ${proofLimits.nodeBytesMax} are accepted`,
      );
    if (compareBytes(keccak256(node), hash) !== 0)
      throw new InvalidProofError(index, `its hash is not the expected 0x${hexDigitsFromBytes(hash)}`);
    return node;
  };
  // Some clients prove the absence from an empty trie by its root node, others by no node.
  if (isEmptyTrieRoot(root) && nodes.length > 0) load(root);
  const value = valueOrFault(
    () => findValue({ load }, root, key),
    () => used - 1,
  );
  if (used < nodes.length) throw new InvalidProofError(used, 'the path to the key ends before it');
  return value;
}

/** Nodes whose hash is right and whose content is no trie node are a fault of the proof, too. */
function valueOrFault<T>(walk: () => T, index: () => number): T {
  try {
    return walk();
  } catch (error) {
    if (isCairnError(error) && error.code !== 'PROOF_INVALID')
      throw new InvalidProofError(index(), 'it is no trie node', error);
    throw error;
  }
}
