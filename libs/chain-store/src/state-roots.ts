import { type AccountChange, encodeRlp, hexFromBytes, type StateRoots } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot } from '@cairn/trie';
import { Account } from '@ethereumjs/util';
import type { RecordReader } from './flat-state.ts';
import type { TrieNodes } from './trie-nodes.ts';

/** Roots of states that would follow a block: tries whose new nodes stay in memory. */
export function stateRootsOver(state: RecordReader, nodes: TrieNodes, root: Uint8Array): StateRoots {
  const accounts = nodes.trie(root);
  const storageRoots = new Map<string, Uint8Array>();
  const storageRootOf = (address: Uint8Array) =>
    storageRoots.get(hexFromBytes(address)) ?? state.record(address)?.state?.storageRoot ?? emptyTrieRoot;

  const change = ({ address, account, isStorageCleared, slots }: AccountChange): void => {
    const before = isStorageCleared || account === undefined ? emptyTrieRoot : storageRootOf(address);
    let storageRoot = before;
    if (account !== undefined && slots.length > 0) {
      const storage = nodes.trie(before);
      for (const [slot, value] of slots) {
        if (value.length === 0) storage.remove(keccak256(slot));
        else storage.put(keccak256(slot), encodeRlp(value));
      }
      storageRoot = storage.root();
    }
    storageRoots.set(hexFromBytes(address), storageRoot);
    if (account === undefined) accounts.remove(keccak256(address));
    else {
      const { nonce, balance, codeHash } = account;
      accounts.put(keccak256(address), new Account(nonce, balance, storageRoot, codeHash).serialize());
    }
  };
  return {
    async after(changes) {
      for (const each of changes) change(each);
      return accounts.root();
    },
  };
}
