import { type AccountState, bytesFromBigint, encodeRlp } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { Trie } from '@cairn/trie';

/** Encodes an account for the state trie (Yellow Paper, section 4.1). */
export function encodeStateAccount({ nonce, balance, storageRoot, codeHash }: Required<AccountState>): Uint8Array {
  return encodeRlp([bytesFromBigint(nonce), bytesFromBigint(balance), storageRoot, codeHash]);
}

/** Writes slots into a storage trie; empty values remove them. */
export function writeSlots(storage: Trie, slots: Iterable<readonly [slot: Uint8Array, value: Uint8Array]>): void {
  for (const [slot, value] of slots) {
    if (value.length === 0) storage.remove(keccak256(slot));
    else storage.put(keccak256(slot), encodeRlp(value));
  }
}
