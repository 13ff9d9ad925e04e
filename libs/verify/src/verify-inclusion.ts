import {
  bytesFromBigint,
  bytesFromHex,
  decodeReceipt,
  decodeTransaction,
  encodeRlp,
  type Header,
  type Hex,
  type Receipt,
  type Transaction,
} from '@cairn/block-model';
import { emptyTrieRoot, readProof, Trie, verifyProof } from '@cairn/trie';
import { trustedHeader } from './chain/linked-headers.ts';
import { VerifyError, withCode } from './errors.ts';
import { HashedContent } from './witness/witness-state.ts';

/** Proof that a transaction or a receipt is in a block. */
export interface InclusionProof {
  /** RLP of the header of the block. */
  readonly header: Uint8Array;
  readonly index: number;
  /** Nodes of the transactions or receipts trie, from the root to the item. */
  readonly nodes: readonly Uint8Array[];
}

/** Verifies that a transaction has an index in a block. @throws BLOCK_UNTRUSTED, PROOF_INVALID */
export function verifyTransaction(
  { header: raw, index, nodes }: InclusionProof,
  { blockHash }: { readonly blockHash: Hex },
): { readonly header: Header; readonly transaction: Transaction } {
  const header = trustedHeader(raw, blockHash);
  const item = provenItem(header.transactionsRoot, index, nodes);
  return { header, transaction: decoded(() => decodeTransaction(item)) };
}

/** Verifies that a receipt has an index in a block. @throws BLOCK_UNTRUSTED, PROOF_INVALID */
export function verifyReceipt(
  { header: raw, index, nodes }: InclusionProof,
  { blockHash }: { readonly blockHash: Hex },
): { readonly header: Header; readonly receipt: Receipt } {
  const header = trustedHeader(raw, blockHash);
  const item = provenItem(header.receiptsRoot, index, nodes);
  return { header, receipt: decoded(() => decodeReceipt(item)) };
}

/** Nodes that prove items of a list under its ordered root, each once. @param items encoded transactions or receipts */
export function proveItems(items: readonly Uint8Array[], indexes: readonly number[]): readonly Uint8Array[] {
  const stored: Uint8Array[] = [];
  const trie = new Trie({ load: notStored, save: (_, node) => stored.push(node) }, emptyTrieRoot);
  for (const [index, item] of items.entries()) trie.put(keyOf(index), item);
  const root = trie.root();
  const content = new HashedContent('trie node', stored);
  return [...new Set(indexes.flatMap((index) => readProof(content, root, keyOf(index)).nodes))];
}

/** Reads an item of a list below its root. @throws WITNESS_INCOMPLETE, PROOF_INVALID */
export function itemBelow(content: HashedContent, root: Hex, index: number): Uint8Array {
  const { value } = withCode('PROOF_INVALID', 'The proof is invalid', () =>
    readProof(content, bytesFromHex(root), keyOf(index)),
  );
  return present(value, index);
}

function provenItem(root: Hex, index: number, nodes: readonly Uint8Array[]): Uint8Array {
  const proof = { root: bytesFromHex(root), key: keyOf(index), nodes };
  return present(
    withCode('PROOF_INVALID', 'The proof is invalid', () => verifyProof(proof)),
    index,
  );
}

function present(item: Uint8Array | undefined, index: number): Uint8Array {
  if (item !== undefined) return item;
  throw new VerifyError('PROOF_INVALID', `The block has no item at index ${index}.`);
}

function decoded<T>(read: () => T): T {
  return withCode('PROOF_INVALID', 'The proven item cannot be decoded', read);
}

function keyOf(index: number): Uint8Array {
  return encodeRlp(bytesFromBigint(BigInt(index)));
}

function notStored(): never {
  throw new Error('A new trie has no stored nodes.');
}
