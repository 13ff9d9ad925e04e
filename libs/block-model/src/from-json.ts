import { type Block, encodeBlock, type Withdrawal } from './block.ts';
import { InvalidValueError } from './errors.ts';
import { type Header, headerFromJson } from './header.ts';
import type { Hex } from './hex.ts';
import type { Json } from './json.ts';
import { depositType, encodeDeposit } from './op-stack/deposit.ts';
import { parseAddress, parseData, parseHash, parseQuantity } from './parse-value.ts';
import {
  type AccessListEntry,
  type Authorization,
  decodeTransaction,
  encodeTransaction,
  type Transaction,
} from './transaction.ts';

/**
 * Reads a block from its JSON-RPC form with full transactions. Hashes are computed from the fields, never copied, so that
 * `verifyBlock` can detect differences. The JSON contains only hashes of uncles, so the caller passes their headers.
 * @throws VALUE_INVALID naming the field
 */
export function blockFromJson(json: Json, uncles: readonly Header[] = []): Block {
  const header = headerFromJson(json);
  const count = asList('uncles', json.uncles ?? []).length;
  if (count !== uncles.length)
    throw new InvalidValueError('uncles', `${uncles.length}, the number of given headers`, json.uncles);
  const transactions = asList('transactions', json.transactions).map((item, index) =>
    transactionFromJson(asObject(`transactions[${index}]`, item), `transactions[${index}].`),
  );
  const withdrawals =
    json.withdrawals === undefined || json.withdrawals === null
      ? undefined
      : asList('withdrawals', json.withdrawals).map((item, index) => withdrawalFromJson(item, `withdrawals[${index}]`));
  const block = { header, transactions, uncles, ...(withdrawals && { withdrawals }) };
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
 * Reads a transaction from its JSON-RPC form. `place` is the prefix of field names in errors.
 * @throws VALUE_INVALID naming the field
 */
export function transactionFromJson(json: Json, place = ''): Transaction {
  const integer = (field: string) => parseQuantity(`${place}${field}`, json[field]);
  const type = json.type === undefined ? 0n : integer('type');
  if (type === BigInt(depositType)) return depositFromJson(json, place);
  if (type > 4n) throw new InvalidValueError(`${place}type`, 'a transaction type from 0x0 to 0x4, or 0x7e', json.type);
  const { to = null } = json;
  const fields = {
    type: Number(type),
    nonce: integer('nonce'),
    gas: integer('gas'),
    to: to === null ? null : parseAddress(`${place}to`, to),
    value: integer('value'),
    input: parseData(`${place}input`, json.input),
    // Some nodes return only one of `v` and `yParity` for typed transactions.
    v: integer(type === 0n || json.yParity === undefined ? 'v' : 'yParity'),
    r: integer('r'),
    s: integer('s'),
    ...(type <= 1n
      ? { gasPrice: integer('gasPrice') }
      : { maxPriorityFeePerGas: integer('maxPriorityFeePerGas'), maxFeePerGas: integer('maxFeePerGas') }),
    ...(type > 0n && {
      chainId: integer('chainId'),
      accessList: parseAccessList(`${place}accessList`, json.accessList ?? []),
    }),
    ...(type === 3n && {
      maxFeePerBlobGas: integer('maxFeePerBlobGas'),
      blobVersionedHashes: parseHashes(`${place}blobVersionedHashes`, json.blobVersionedHashes),
    }),
    ...(type === 4n && {
      authorizationList: parseAuthorizations(`${place}authorizationList`, json.authorizationList),
    }),
  };
  return decodeTransaction(encodeTransaction(fields));
}

function depositFromJson(json: Json, place: string): Transaction {
  const integer = (field: string, fallback?: string) => parseQuantity(`${place}${field}`, json[field] ?? fallback);
  const { to = null, isSystemTx = false } = json;
  if (typeof isSystemTx !== 'boolean') throw new InvalidValueError(`${place}isSystemTx`, 'true or false', isSystemTx);
  const raw = encodeDeposit({
    to: to === null ? null : parseAddress(`${place}to`, to),
    value: integer('value'),
    gas: integer('gas'),
    input: parseData(`${place}input`, json.input),
    deposit: {
      sourceHash: parseHash(`${place}sourceHash`, json.sourceHash),
      from: parseAddress(`${place}from`, json.from),
      mint: integer('mint', '0x0'),
      isSystemTransaction: isSystemTx,
    },
  });
  return decodeTransaction(raw);
}

function parseHashes(field: string, value: unknown): Hex[] {
  return asList(field, value).map((item, index) => parseHash(`${field}[${index}]`, item));
}

function parseAccessList(field: string, value: unknown): AccessListEntry[] {
  return asList(field, value).map((item, index) => {
    const { address, storageKeys } = asObject(`${field}[${index}]`, item);
    return {
      address: parseAddress(`${field}[${index}].address`, address),
      storageKeys: parseHashes(`${field}[${index}].storageKeys`, storageKeys),
    };
  });
}

function parseAuthorizations(field: string, value: unknown): Authorization[] {
  return asList(field, value).map((item, index) => {
    const entry = asObject(`${field}[${index}]`, item);
    const integer = (name: string) => parseQuantity(`${field}[${index}].${name}`, entry[name]);
    return {
      chainId: integer('chainId'),
      address: parseAddress(`${field}[${index}].address`, entry.address),
      nonce: integer('nonce'),
      yParity: integer('yParity'),
      r: integer('r'),
      s: integer('s'),
    };
  });
}
