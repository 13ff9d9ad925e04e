import { InvalidValueError } from './errors.ts';
import type { Hex } from './hex.ts';
import type { Log } from './log.ts';
import { depositType } from './op-stack/deposit.ts';
import { parseAddress, parseData, parseHash, parseQuantity } from './parse-value.ts';
import type { Receipt } from './receipt.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Logs of one receipt. A block of 60 million gas has at most 160,000. */
const logsMax = 200_000;

/**
 * Receipt from its JSON-RPC form. Only fields of the receipts trie are read, so that `verifyReceipts` covers all of them.
 * @throws VALUE_INVALID
 */
export function receiptFromJson(value: unknown): Receipt {
  const { type, ...receipt } = receiptOf(value);
  if (type > 4n && type !== BigInt(depositType))
    throw new InvalidValueError('type', `a receipt type from 0x0 to 0x4, or 0x${depositType.toString(16)}`, `${type}`);
  return { type: Number(type), ...receipt };
}

/** Receipt of a block with types of no known format. Its JSON is kept as given. @throws as {@link receiptFromJson} */
export function givenReceiptFromJson(value: unknown): Receipt {
  const { type, ...receipt } = receiptOf(value);
  if (type > 0xffn) throw new InvalidValueError('type', 'one byte', `${type}`);
  return { type: Number(type), ...receipt, given: value as Fields };
}

function receiptOf(value: unknown): Omit<Receipt, 'type'> & { readonly type: bigint } {
  if (typeof value !== 'object' || value === null) throw new InvalidValueError('receipt', 'an object', value);
  const fields = value as Fields;
  const type = fields.type === undefined ? 0n : parseQuantity('type', fields.type);
  if (!Array.isArray(fields.logs) || fields.logs.length > logsMax)
    throw new InvalidValueError('logs', `a list of at most ${logsMax} logs`, typeof fields.logs);
  const hasRoot = typeof fields.root === 'string' && fields.root.length === 66;
  return {
    type,
    ...(hasRoot ? { root: parseHash('root', fields.root) } : { status: parseQuantity('status', fields.status) === 1n }),
    cumulativeGasUsed: parseQuantity('cumulativeGasUsed', fields.cumulativeGasUsed),
    logsBloom: lowerCase(parseData('logsBloom', fields.logsBloom, 256)),
    logs: fields.logs.map(logFromJson),
    ...(type === BigInt(depositType) && depositFields(fields)),
  };
}

/** The nonce is proven with a version only: without it, the receipts root does not cover the nonce. */
function depositFields({
  depositNonce,
  depositReceiptVersion,
}: Fields): Pick<Receipt, 'depositNonce' | 'depositReceiptVersion'> {
  if (depositReceiptVersion === undefined || depositReceiptVersion === null) return {};
  return {
    depositNonce: parseQuantity('depositNonce', depositNonce),
    depositReceiptVersion: parseQuantity('depositReceiptVersion', depositReceiptVersion),
  };
}

function logFromJson(value: unknown): Log {
  const { address, topics, data } = (value ?? {}) as Fields;
  if (!Array.isArray(topics) || topics.length > 4)
    throw new InvalidValueError('topics', 'a list of up to four topics', topics);
  return {
    address: parseAddress('address', address),
    topics: topics.map((topic) => parseHash('topic', topic)),
    data: lowerCase(parseData('data', data)),
  };
}

function lowerCase(text: Hex): Hex {
  return text.toLowerCase() as Hex;
}
