import { keccak256 } from '@cairn/cid';
import { CorruptBlockError, DecodeError } from './errors.ts';
import { type Header, headerFromRlp } from './header.ts';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import { orderedTrieRoot } from './ordered-trie-root.ts';
import { decodeRlp, encodeRlp, FieldReader, type RlpItem } from './rlp.ts';
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
  /** Absent before Shanghai. */
  readonly withdrawals?: readonly Withdrawal[];
  /** Length of its RLP in bytes. */
  readonly size: number;
}

/** Reads a block from its RLP, `[header, transactions, uncles, withdrawals?]`. @throws DECODE_FAILED */
export function decodeBlock(raw: Uint8Array): Block {
  return blockFromRlp(decodeRlp('block', raw), raw.length);
}

/** Reads a block from a decoded list. @throws DECODE_FAILED */
export function blockFromRlp(item: RlpItem, size: number): Block {
  const reader = new FieldReader('block', item);
  const header = headerFromRlp(reader.list('header'));
  const body = decodeBody(reader);
  return { header, ...body, size };
}

/** The block of a header and its body, `[transactions, uncles, withdrawals?]`. @throws DECODE_FAILED */
export function joinBlock(header: Header, body: Uint8Array): Block {
  const item = decodeRlp('block body', body);
  if (item instanceof Uint8Array) throw new DecodeError('block body', 'expected a list');
  const parts = decodeBody(new FieldReader('block body', item));
  const size = encodeRlp([decodeRlp('block header', header.raw), ...item]).length;
  return { header, ...parts, size };
}

/** The body of a block as {@link joinBlock} takes it. */
export function encodeBody({
  transactions,
  uncles,
  withdrawals,
}: Pick<Block, 'transactions' | 'uncles' | 'withdrawals'>): Uint8Array {
  return encodeRlp(bodyItems({ transactions, uncles, ...(withdrawals && { withdrawals }) }));
}

/** The RLP of a block. */
export function encodeBlock(block: Pick<Block, 'header' | 'transactions' | 'uncles' | 'withdrawals'>): Uint8Array {
  return encodeRlp([decodeRlp('block header', block.header.raw), ...bodyItems(block)]);
}

function bodyItems({
  transactions,
  uncles,
  withdrawals,
}: Pick<Block, 'transactions' | 'uncles' | 'withdrawals'>): RlpItem[] {
  const items: RlpItem[] = [
    // A legacy transaction stands in the list as a list, a typed one as a string of bytes.
    transactions.map((transaction) =>
      transaction.type === 0 ? decodeRlp('transaction', transaction.raw) : transaction.raw,
    ),
    uncles.map(({ raw }) => decodeRlp('uncle', raw)),
  ];
  if (withdrawals !== undefined) items.push(withdrawals.map(withdrawalItem));
  return items;
}

function decodeBody(reader: FieldReader): Pick<Block, 'transactions' | 'uncles' | 'withdrawals'> {
  const transactions = reader
    .list('transactions')
    .map((item) => decodeTransaction(item instanceof Uint8Array ? item : encodeRlp(item)));
  const uncles = reader.list('uncles').map((item) => headerFromRlp(item));
  const withdrawals = reader.left > 0 ? reader.list('withdrawals').map(decodeWithdrawal) : undefined;
  reader.end();
  return withdrawals === undefined ? { transactions, uncles } : { transactions, uncles, withdrawals };
}

function decodeWithdrawal(item: RlpItem): Withdrawal {
  const reader = new FieldReader('withdrawal', item);
  const withdrawal = {
    index: reader.integer('index'),
    validatorIndex: reader.integer('validatorIndex'),
    address: hexFromBytes(reader.bytes('address', 20)),
    amount: reader.integer('amount'),
  };
  reader.end();
  return withdrawal;
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
  return hexFromBytes(keccak256(encodeRlp(uncles.map(({ raw }) => decodeRlp('uncle', raw)))));
}

/**
 * Holds a block to its names: the hash asked for, and the roots that its header gives its parts.
 * @throws BLOCK_CORRUPT naming the field that differs
 */
export function verifyBlock({ header, transactions, uncles, withdrawals }: Block, hash: Hex = header.hash): void {
  const hold = (field: string, expected: string, actual: string) => {
    if (expected !== actual) throw new CorruptBlockError(hash, field, expected, actual);
  };
  hold('hash', hash, header.hash);
  hold('transactionsRoot', header.transactionsRoot, transactionsRoot(transactions));
  hold('sha3Uncles', header.unclesHash, unclesHash(uncles));
  hold('withdrawalsRoot', header.withdrawalsRoot ?? 'absent', withdrawals ? withdrawalsRoot(withdrawals) : 'absent');
}
