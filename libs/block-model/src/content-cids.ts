import { type CID, cidFromKeccak256 } from '@cairn/cid';
import type { Header } from './header.ts';

/** The names of a block and of what belongs to it, as multicodec has them (0x90 to 0x98, all with keccak-256). */
export interface ContentCids {
  /** RLP of the header. */
  readonly header: CID;
  /** RLP of the list of uncles. */
  readonly uncles: CID;
  /** Root node of the trie of transactions. */
  readonly transactions: CID;
  readonly receipts: CID;
  readonly state: CID;
}

/** A header names all that belongs to its block by what it is. @throws CID_INVALID */
export function contentCids(header: Header): ContentCids {
  return {
    header: cidFromKeccak256('eth-block', header.hash),
    uncles: cidFromKeccak256('eth-block-list', header.unclesHash),
    transactions: cidFromKeccak256('eth-tx-trie', header.transactionsRoot),
    receipts: cidFromKeccak256('eth-tx-receipt-trie', header.receiptsRoot),
    state: cidFromKeccak256('eth-state-trie', header.stateRoot),
  };
}
