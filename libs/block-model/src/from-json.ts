import { type Block, encodeBlock, type Withdrawal } from './block.ts';
import { InvalidValueError } from './errors.ts';
import { headerFromJson } from './header.ts';
import { bytesFromBigint, bytesFromHex, parseAddress, parseData, parseHash, parseQuantity } from './hex.ts';
import type { Json } from './json.ts';
import { encodeRlp, type RlpItem } from './rlp.ts';
import { decodeTransaction, type Transaction } from './transaction.ts';

/**
 * A block from its JSON-RPC form with full transactions. Hashes are computed from the fields, not taken over, so that
 * `verifyBlock` means something. Uncles cannot be read back from their hashes: a block that has some is refused.
 * @throws VALUE_INVALID naming the field
 */
export function blockFromJson(json: Json): Block {
  const header = headerFromJson(json);
  const list = (field: string, value: unknown): readonly unknown[] => {
    if (Array.isArray(value)) return value;
    throw new InvalidValueError(field, 'a list', value);
  };
  if (list('uncles', json.uncles ?? []).length > 0)
    throw new InvalidValueError('uncles', 'none: only their hashes are known', json.uncles);
  const transactions = list('transactions', json.transactions).map((item, index) =>
    transactionFromJson(asObject(`transactions[${index}]`, item)),
  );
  const withdrawals =
    json.withdrawals === undefined || json.withdrawals === null
      ? undefined
      : list('withdrawals', json.withdrawals).map(withdrawalFromJson);
  const block = { header, transactions, uncles: [], ...(withdrawals && { withdrawals }) };
  return { ...block, size: encodeBlock(block).length };
}

function asObject(field: string, value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new InvalidValueError(field, 'an object', value);
}

function withdrawalFromJson(value: unknown): Withdrawal {
  const json = asObject('withdrawal', value);
  return {
    index: parseQuantity('withdrawal.index', json.index),
    validatorIndex: parseQuantity('withdrawal.validatorIndex', json.validatorIndex),
    address: parseAddress('withdrawal.address', json.address),
    amount: parseQuantity('withdrawal.amount', json.amount),
  };
}

/** A transaction from its JSON-RPC form. @throws VALUE_INVALID naming the field */
export function transactionFromJson(json: Json): Transaction {
  const type = json.type === undefined ? 0n : parseQuantity('type', json.type);
  const integer = (field: string) => bytesFromBigint(parseQuantity(field, json[field]));
  const to = json.to === null || json.to === undefined ? new Uint8Array(0) : bytesFromHex(parseAddress('to', json.to));
  const call: RlpItem[] = [to, integer('value'), bytesFromHex(parseData('input', json.input))];
  const signature: RlpItem[] = [type === 0n ? integer('v') : parity(json), integer('r'), integer('s')];
  if (type === 0n)
    return decodeTransaction(encodeRlp([integer('nonce'), integer('gasPrice'), integer('gas'), ...call, ...signature]));
  if (type > 4n) throw new InvalidValueError('type', 'a transaction type from 0x0 to 0x4', json.type);
  const fees = type === 1n ? [integer('gasPrice')] : [integer('maxPriorityFeePerGas'), integer('maxFeePerGas')];
  const items: RlpItem[] = [
    integer('chainId'),
    integer('nonce'),
    ...fees,
    integer('gas'),
    ...call,
    accessListItems(json.accessList),
  ];
  if (type === 3n) items.push(integer('maxFeePerBlobGas'), blobHashItems(json.blobVersionedHashes));
  if (type === 4n) items.push(authorizationItems(json.authorizationList));
  const payload = encodeRlp([...items, ...signature]);
  return decodeTransaction(Uint8Array.from([Number(type), ...payload]));
}

function parity(json: Json): Uint8Array {
  return bytesFromBigint(parseQuantity('yParity', json.yParity ?? json.v));
}

function items(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidValueError(field, 'a list', value);
}

function accessListItems(value: unknown): RlpItem[] {
  return items('accessList', value ?? []).map((item) => {
    const entry = asObject('accessList entry', item);
    const keys = items('accessList storageKeys', entry.storageKeys).map((key) =>
      bytesFromHex(parseHash('storage key', key)),
    );
    return [bytesFromHex(parseAddress('accessList address', entry.address)), keys];
  });
}

function blobHashItems(value: unknown): RlpItem[] {
  return items('blobVersionedHashes', value).map((hash) => bytesFromHex(parseHash('blobVersionedHashes entry', hash)));
}

function authorizationItems(value: unknown): RlpItem[] {
  return items('authorizationList', value).map((item) => {
    const entry = asObject('authorizationList entry', item);
    const integer = (field: string) => bytesFromBigint(parseQuantity(`authorization ${field}`, entry[field]));
    return [
      integer('chainId'),
      bytesFromHex(parseAddress('authorization address', entry.address)),
      integer('nonce'),
      integer('yParity'),
      integer('r'),
      integer('s'),
    ];
  });
}
