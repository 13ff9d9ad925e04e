import { type AccountChange, hexFromBytes, type StateRoots } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot } from '@cairn/trie';
import type { RecordReader } from './flat-state.ts';
import { encodeStateAccount, writeSlots } from './state-account.ts';
import type { TrieNodes } from './trie-nodes.ts';

/** Computes state roots on top of a block. New trie nodes stay in memory. */
export function stateRootsOver(state: RecordReader, nodes: TrieNodes, root: Uint8Array): StateRoots {
  const accounts = nodes.trie(root);
  const storageRoots = new Map<string, Uint8Array>();
  const storageRootOf = (address: Uint8Array) =>
    storageRoots.get(hexFromBytes(address)) ?? state.record(address)?.state?.storageRoot ?? emptyTrieRoot;

  const apply = ({ address, account, isStorageCleared, slots }: AccountChange): void => {
    let storageRoot = isStorageCleared || account === undefined ? emptyTrieRoot : storageRootOf(address);
    if (account !== undefined && slots.length > 0) {
      const storage = nodes.trie(storageRoot);
      writeSlots(storage, slots);
      storageRoot = storage.root();
    }
    storageRoots.set(hexFromBytes(address), storageRoot);
    const key = keccak256(address);
    if (account === undefined) accounts.remove(key);
    else accounts.put(key, encodeStateAccount({ ...account, storageRoot }));
  };
  return {
    async after(changes) {
      for (const change of changes) apply(change);
      return accounts.root();
    },
  };
}
