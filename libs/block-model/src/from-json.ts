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
  if (asList('uncles', json.uncles ?? []).length > 0)
    throw new InvalidValueError('uncles', 'none: only their hashes are known', json.uncles);
  const transactions = asList('transactions', json.transactions).map((item, index) =>
    transactionFromJson(asObject(`transactions[${index}]`, item), `transactions[${index}].`),
  );
  const withdrawals =
    json.withdrawals === undefined || json.withdrawals === null
      ? undefined
      : asList('withdrawals', json.withdrawals).map((item, index) => withdrawalFromJson(item, `withdrawals[${index}]`));
  const block = { header, transactions, uncles: [], ...(withdrawals && { withdrawals }) };
  return { ...block, size: encodeBlock(block).length };
}

function asObject(field: string, value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new InvalidValueError(field, 'an object', value);
}

function asList(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidValueError(field, 'a list', value);
}

function withdrawalFromJson(value: unknown, place: string): Withdrawal {
  const json = asObject(place, value);
  return {
    index: parseQuantity(`${place}.index`, json.index),
    validatorIndex: parseQuantity(`${place}.validatorIndex`, json.validatorIndex),
    address: parseAddress(`${place}.address`, json.address),
    amount: parseQuantity(`${place}.amount`, json.amount),
  };
}

/**
 * A transaction from its JSON-RPC form. `place` stands before the names of fields in errors.
 * @throws VALUE_INVALID naming the field
 */
export function transactionFromJson(json: Json, place = ''): Transaction {
  const integer = (field: string) => bytesFromBigint(parseQuantity(`${place}${field}`, json[field]));
  const type = json.type === undefined ? 0n : parseQuantity(`${place}type`, json.type);
  const to = json.to === null || json.to === undefined ? '0x' : parseAddress(`${place}to`, json.to);
  const call: RlpItem[] = [bytesFromHex(to), integer('value'), bytesFromHex(parseData(`${place}input`, json.input))];
  // Some nodes give typed transactions only one of the two names of the parity.
  const parity = type === 0n || json.yParity === undefined ? 'v' : 'yParity';
  const signature: RlpItem[] = [integer(parity), integer('r'), integer('s')];
  if (type === 0n)
    return decodeTransaction(encodeRlp([integer('nonce'), integer('gasPrice'), integer('gas'), ...call, ...signature]));
  if (type > 4n) throw new InvalidValueError(`${place}type`, 'a transaction type from 0x0 to 0x4', json.type);
  const fees = type === 1n ? [integer('gasPrice')] : [integer('maxPriorityFeePerGas'), integer('maxFeePerGas')];
  const items: RlpItem[] = [
    integer('chainId'),
    integer('nonce'),
    ...fees,
    integer('gas'),
    ...call,
    accessListItems(`${place}accessList`, json.accessList ?? []),
  ];
  if (type === 3n) {
    const hashes = asList(`${place}blobVersionedHashes`, json.blobVersionedHashes);
    const hash = (value: unknown, index: number) =>
      bytesFromHex(parseHash(`${place}blobVersionedHashes[${index}]`, value));
    items.push(integer('maxFeePerBlobGas'), hashes.map(hash));
  }
  if (type === 4n) items.push(authorizationItems(`${place}authorizationList`, json.authorizationList));
  const payload = encodeRlp([...items, ...signature]);
  const raw = new Uint8Array(payload.length + 1);
  raw[0] = Number(type);
  raw.set(payload, 1);
  return decodeTransaction(raw);
}

function accessListItems(field: string, value: unknown): RlpItem[] {
  return asList(field, value).map((item, index) => {
    const { address, storageKeys } = asObject(`${field}[${index}]`, item);
    const keys = asList(`${field}[${index}].storageKeys`, storageKeys).map((key, at) =>
      bytesFromHex(parseHash(`${field}[${index}].storageKeys[${at}]`, key)),
    );
    return [bytesFromHex(parseAddress(`${field}[${index}].address`, address)), keys];
  });
}

function authorizationItems(field: string, value: unknown): RlpItem[] {
  return asList(field, value).map((item, index) => {
    const entry = asObject(`${field}[${index}]`, item);
    const integer = (name: string) => bytesFromBigint(parseQuantity(`${field}[${index}].${name}`, entry[name]));
    return [
      integer('chainId'),
      bytesFromHex(parseAddress(`${field}[${index}].address`, entry.address)),
      integer('nonce'),
      integer('yParity'),
      integer('r'),
      integer('s'),
    ];
  });
}
