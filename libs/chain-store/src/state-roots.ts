import { type AccountChange, encodeRlp, hexFromBytes, type StateRoots } from '@cairn/block-model';
import { Account, KECCAK256_RLP } from '@ethereumjs/util';
import type { RecordReader } from './flat-state.ts';
import type { TrieNodes } from './trie-nodes.ts';

/** Roots of states that would follow a block: tries whose new nodes stay in memory. */
export function stateRootsOver(state: RecordReader, nodes: TrieNodes, root: Uint8Array): StateRoots {
  const accounts = nodes.trie(root);
  const storageRoots = new Map<string, Uint8Array>();
  const storageRootOf = (address: Uint8Array) =>
    storageRoots.get(hexFromBytes(address)) ?? state.record(address)?.state?.storageRoot ?? KECCAK256_RLP;

  const change = async ({ address, account, isStorageCleared, slots }: AccountChange): Promise<void> => {
    const before = isStorageCleared || account === undefined ? KECCAK256_RLP : storageRootOf(address);
    let storageRoot = before;
    if (account !== undefined && slots.length > 0) {
      const storage = nodes.trie(before);
      for (const [slot, value] of slots) {
        if (value.length === 0) await storage.del(slot);
        else await storage.put(slot, encodeRlp(value));
      }
      storageRoot = storage.root();
    }
    storageRoots.set(hexFromBytes(address), storageRoot);
    if (account === undefined) await accounts.del(address);
    else {
      const { nonce, balance, codeHash } = account;
      await accounts.put(address, new Account(nonce, balance, storageRoot, codeHash).serialize());
    }
  };
  return {
    async after(changes) {
      for (const each of changes) await change(each);
      return accounts.root();
    },
  };
}
