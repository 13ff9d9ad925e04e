import { type CID, cidFromKeccak256 } from '@cairn/cid';
import type { Header } from './header.ts';

/** CIDs of a block and its parts, with the Ethereum codecs of multicodec (0x90 to 0x98) and keccak-256. */
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

/** Returns the CIDs of the parts of a block. The header contains all their hashes. @throws CID_INVALID */
export function contentCids(header: Header): ContentCids {
  return {
    header: cidFromKeccak256('eth-block', header.hash),
    uncles: cidFromKeccak256('eth-block-list', header.unclesHash),
    transactions: cidFromKeccak256('eth-tx-trie', header.transactionsRoot),
    receipts: cidFromKeccak256('eth-tx-receipt-trie', header.receiptsRoot),
    state: cidFromKeccak256('eth-state-trie', header.stateRoot),
  };
}
