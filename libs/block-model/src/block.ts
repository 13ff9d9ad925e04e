import { keccak256 } from '@cairn/cid';
import { DecodeError, encodeRlp, encodeRlpList, type RlpItem, rlpPrefixLength } from '@cairn/rlp';
import { orderedTrieRoot } from '@cairn/trie';
import { CorruptBlockError } from './errors.ts';
import { FieldReader } from './field-reader.ts';
import { decodeHeader, type Header } from './header.ts';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import { depositType } from './op-stack/deposit.ts';
import { decodeTransaction, type Transaction } from './transaction.ts';

/** A withdrawal from the beacon chain (EIP-4895); `amount` is in gwei. */
export interface Withdrawal {
  readonly index: bigint;
  readonly validatorIndex: bigint;
  readonly address: Hex;
  readonly amount: bigint;
}

export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly uncles: readonly Header[];
  /** Absent before Shanghai (EIP-4895). */
  readonly withdrawals?: readonly Withdrawal[];
  /** Length of its RLP in bytes. */
  readonly size: number;
  /** How the transactions were verified: by the roots of the header (default), or by the agreement of a quorum of nodes. */
  readonly proof?: BodyProof;
}

export type BodyProof = 'proven' | 'quorum';

type Body = Pick<Block, 'transactions' | 'uncles' | 'withdrawals'>;

/**
 * Reads a block from its RLP, `[header, transactions, uncles, withdrawals?]`.
 * @param known the header that {@link decodeBlockHeader} returned for the same bytes, if it was read before
 * @throws DECODE_FAILED
 */
export function decodeBlock(raw: Uint8Array, known?: Header): Block {
  const reader = FieldReader.over('block', raw);
  const first = reader.raw('header');
  return { header: known ?? decodeHeader(first.slice()), ...decodeBody(reader), size: raw.length };
}

/** Reads the header of a block. The other parts are neither read nor checked. @throws DECODE_FAILED */
export function decodeBlockHeader(raw: Uint8Array): Header {
  // A copy, so that a retained header does not retain the bytes of the whole block.
  return decodeHeader(FieldReader.over('block', raw).raw('header').slice());
}

/** Joins a header and its body, `[transactions, uncles, withdrawals?]`, to a block. @throws DECODE_FAILED */
export function joinBlock(header: Header, body: Uint8Array): Block {
  const reader = FieldReader.over('block body', body);
  const length = header.raw.length + reader.payloadLength;
  return { header, ...decodeBody(reader), size: rlpPrefixLength(length) + length };
}

/** Encodes a body in the form that {@link joinBlock} reads. */
export function encodeBody(body: Body): Uint8Array {
  return encodeRlpList(bodyItems(body));
}

/** Encodes a block as RLP. */
export function encodeBlock(block: Body & Pick<Block, 'header'>): Uint8Array {
  return encodeRlpList([block.header.raw, ...bodyItems(block)]);
}

function bodyItems({ transactions, uncles, withdrawals }: Body): Uint8Array[] {
  const items = [
    // A legacy transaction is an RLP list in this list, a typed one an RLP string (EIP-2718).
    encodeRlpList(transactions.map(({ type, raw }) => (type === 0 ? raw : encodeRlp(raw)))),
    encodeRlpList(uncles.map(({ raw }) => raw)),
  ];
  if (withdrawals !== undefined) items.push(encodeRlp(withdrawals.map(withdrawalItem)));
  return items;
}

function decodeBody(reader: FieldReader): Body {
  const transactions = reader.list('transactions', 'transactions', (items) => {
    if (items.isAtList) return decodeTransaction(items.raw('transaction'));
    const typed = decodeTransaction(items.bytes('transaction'));
    // The roots are the same for both forms, so no later check would notice this one.
    if (typed.type === 0) throw new DecodeError('transactions', 'expected a legacy transaction as a list, found bytes');
    return typed;
  });
  const uncles = reader.list('uncles', 'uncles', (items) => decodeHeader(items.raw('uncle')));
  const withdrawals = reader.isDone
    ? undefined
    : reader.list('withdrawals', 'withdrawals', (items) => items.record('withdrawal', 'withdrawal', decodeWithdrawal));
  reader.end();
  return withdrawals === undefined ? { transactions, uncles } : { transactions, uncles, withdrawals };
}

function decodeWithdrawal(fields: FieldReader): Withdrawal {
  return {
    index: fields.integer('index'),
    validatorIndex: fields.integer('validatorIndex'),
    address: hexFromBytes(fields.bytes('address', 20)),
    amount: fields.integer('amount'),
  };
}

function withdrawalItem({ index, validatorIndex, address, amount }: Withdrawal): RlpItem[] {
  return [bytesFromBigint(index), bytesFromBigint(validatorIndex), bytesFromHex(address), bytesFromBigint(amount)];
}

/** Root of the trie of a block's transactions. */
export function transactionsRoot(transactions: readonly Transaction[]): Hex {
  return hexFromBytes(orderedTrieRoot(transactions.map(({ raw }) => raw)));
}

/** Root of the trie of a block's withdrawals (EIP-4895). */
export function withdrawalsRoot(withdrawals: readonly Withdrawal[]): Hex {
  return hexFromBytes(orderedTrieRoot(withdrawals.map((withdrawal) => encodeRlp(withdrawalItem(withdrawal)))));
}

/** Keccak-256 of the RLP list of uncle headers. */
export function unclesHash(uncles: readonly Header[]): Hex {
  return hexFromBytes(keccak256(encodeRlpList(uncles.map(({ raw }) => raw))));
}

/**
 * Verifies a block against the requested hash, and its transactions, uncles and withdrawals against the roots in its header.
 * @throws BLOCK_CORRUPT naming the field that differs
 */
export function verifyBlock(block: Block, hash: Hex = block.header.hash): void {
  const { header, transactions, uncles, withdrawals, proof = 'proven' } = block;
  const hold = (field: string, expected: string, actual: string) => {
    if (expected !== actual) throw new CorruptBlockError(hash, field, expected, actual);
  };
  hold('hash', hash, header.hash);
  if (proof === 'proven') hold('transactionsRoot', header.transactionsRoot, transactionsRoot(transactions));
  hold('sha3Uncles', header.unclesHash, unclesHash(uncles));
  if (hasMessagePasserRoot(header, transactions) && withdrawals?.length === 0) return;
  hold('withdrawalsRoot', header.withdrawalsRoot ?? 'absent', withdrawals ? withdrawalsRoot(withdrawals) : 'absent');
}

/**
 * Since the Isthmus fork, `withdrawalsRoot` of OP-stack chains is the storage root of L2ToL1MessagePasser, and blocks have no
 * withdrawals. Only these chains have blocks that start with a deposit. Genesis blocks have no withdrawals on any chain.
 */
function hasMessagePasserRoot({ number, requestsHash }: Header, transactions: readonly Transaction[]): boolean {
  return requestsHash !== undefined && (transactions[0]?.type === depositType || number === 0n);
}
