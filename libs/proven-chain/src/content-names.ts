import { bytesFromHex, type Hex } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';

const prefixes = {
  body: new TextEncoder().encode('cairn body '),
  receipts: new TextEncoder().encode('cairn receipts '),
} as const;

/** Name under which the body or the receipts of a block are cached. It is no hash of the content, which the header verifies. */
export function contentName(kind: keyof typeof prefixes, blockHash: Hex): Uint8Array {
  return keccak256(Uint8Array.of(...prefixes[kind], ...bytesFromHex(blockHash)));
}
