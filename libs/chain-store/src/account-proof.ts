import { type AccountProof, bigintFromBytes, decodeRlp } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot, readProof } from '@cairn/trie';
import type { TrieNodes } from './trie-nodes.ts';

/** Reads the trie nodes that prove an account and its slots (EIP-1186). @throws BLOCK_CORRUPT */
export function readAccountProof(
  nodes: TrieNodes,
  stateRoot: Uint8Array,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): AccountProof {
  const account = readProof(nodes, stateRoot, keccak256(address));
  const fields = account.value && decodeRlp('account', account.value);
  const [nonce, balance, storageRoot = emptyTrieRoot, codeHash] = (fields ?? []) as Uint8Array[];
  const state = nonce &&
    balance &&
    codeHash && { nonce: bigintFromBytes(nonce), balance: bigintFromBytes(balance), codeHash, storageRoot };
  return {
    account: state,
    storageRoot,
    accountNodes: account.nodes,
    slots: slots.map((slot) => {
      const found = readProof(nodes, storageRoot, keccak256(slot));
      const value = found.value && decodeRlp('storage value', found.value);
      return { value: value instanceof Uint8Array ? value : new Uint8Array(0), nodes: found.nodes };
    }),
  };
}
