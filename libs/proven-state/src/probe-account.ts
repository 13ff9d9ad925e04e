import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot } from '@cairn/trie';
import type { ProvenAccount } from './proven-account.ts';

/** Returns 1,024 zeros: PUSH2 0x0400, PUSH1 0, RETURN. Decoders of ABI results accept them as numbers, and as empty lists. */
export const probeCode = Uint8Array.of(0x61, 0x04, 0x00, 0x60, 0x00, 0xf3);

/** Stands for an account that is not fetched yet. Its balance pays for transfers, so that the run continues. */
export const probeAccount: ProvenAccount = {
  nonce: 0n,
  balance: 2n ** 96n,
  codeHash: keccak256(probeCode),
  storageRoot: emptyTrieRoot,
};
