import type { Block } from './block.ts';
import { InvalidValueError } from './errors.ts';
import { blockFromJson, transactionFromJson } from './from-json.ts';
import type { Header } from './header.ts';
import type { Json } from './json.ts';
import { depositType } from './op-stack/deposit.ts';
import { parseAddress, parseData, parseHash, parseQuantity } from './parse-value.ts';
import type { Receipt } from './receipt.ts';
import { assignSender } from './sender.ts';
import type { Transaction } from './transaction.ts';

/** First bytes of typed transactions (EIP-2718), with a margin for chains that use higher ones. */
const typeMax = 0xffn;

/** Reports whether a list of transactions or receipts in JSON has a type of no known format. */
export function hasUnknownType(items: unknown): boolean {
  return Array.isArray(items) && items.some((item) => !isKnownType((item as Json | null)?.type));
}

function isKnownType(type: unknown): boolean {
  return (
    type === undefined || type === null || !/^0x[0-9a-f]{1,2}$/i.test(String(type)) || knownTypes.has(Number(type))
  );
}

const knownTypes: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, depositType]);

/**
 * Reads a block with transaction types of no known format. Their JSON is kept as given, and no root proves them, so that only
 * the agreement of several nodes makes them credible. Header, uncles, withdrawals and hashes of known transactions are computed.
 * @throws VALUE_INVALID naming the field
 */
export function givenBlockFromJson(json: Json, uncles: readonly Header[] = []): Block {
  const { transactions } = json;
  if (!Array.isArray(transactions)) throw new InvalidValueError('transactions', 'a list', transactions);
  const block = blockFromJson({ ...json, transactions: [] }, uncles);
  const read = (item: unknown, index: number) => {
    const place = `transactions[${index}]`;
    if (typeof item !== 'object' || item === null) throw new InvalidValueError(place, 'an object', item);
    return givenTransaction(item as Json, `${place}.`, block.header);
  };
  return {
    ...block,
    transactions: transactions.map(read),
    size: json.size === undefined ? 0 : Number(parseQuantity('size', json.size)),
    proof: 'quorum',
  };
}

function givenTransaction(json: Json, place: string, header: Header): Transaction {
  const blockHash = parseHash(`${place}blockHash`, json.blockHash);
  if (blockHash !== header.hash) throw new InvalidValueError(`${place}blockHash`, header.hash, blockHash);
  const hash = parseHash(`${place}hash`, json.hash);
  if (isKnownType(json.type)) {
    const transaction = transactionFromJson(json, place);
    if (transaction.hash !== hash) throw new InvalidValueError(`${place}hash`, transaction.hash, hash);
    return { ...transaction, given: json };
  }
  const integer = (field: string, fallback?: string) => parseQuantity(`${place}${field}`, json[field] ?? fallback);
  const type = integer('type');
  if (type > typeMax) throw new InvalidValueError(`${place}type`, 'one byte', json.type);
  const { to = null } = json;
  const transaction: Transaction = {
    type: Number(type),
    hash,
    raw: new Uint8Array(0),
    nonce: integer('nonce', '0x0'),
    gas: integer('gas', '0x0'),
    gasPrice: integer('gasPrice', '0x0'),
    to: to === null ? null : parseAddress(`${place}to`, to),
    value: integer('value', '0x0'),
    input: parseData(`${place}input`, json.input ?? '0x'),
    given: json,
    v: 0n,
    r: 0n,
    s: 0n,
  };
  assignSender(transaction, parseAddress(`${place}from`, json.from));
  return transaction;
}

/** How the receipts of a block were verified: by its receipts root, or by the agreement of a quorum of nodes. */
export function proofOfReceipts(receipts: readonly Receipt[]): NonNullable<Block['proof']> {
  return receipts.some(({ given }) => given !== undefined) ? 'quorum' : 'proven';
}
