import {
  type AccessListEntry,
  type Authorization,
  type Hex,
  InvalidValueError,
  parseAddress,
  parseData,
  parseHash,
  parseQuantity,
} from '@cairn/block-model';
import type { CallRequest } from './call-request.ts';
import { definedOnly, type JsonObject, optionalFields, parseList, parseObject } from './parse-json.ts';

export interface ParseCallRequestOptions {
  /** Refuse calls that do not say who calls. Default false. */
  readonly requireFrom?: boolean;
  /** What to call the object in errors. Default `call`. */
  readonly field?: string;
}

/**
 * Reads the first parameter of eth_call (GenericTransaction of execution-apis). Fields that calls have no use for are
 * passed over, as nodes do; `null` stands for absent.
 * @throws VALUE_INVALID naming the field, what it takes and what it got
 */
export function parseCallRequest(json: unknown, options: ParseCallRequestOptions = {}): CallRequest {
  const { requireFrom = false, field = 'call' } = options;
  const object = parseObject(field, json, 'an object such as {"to":"0x…","data":"0x…"}');
  const optional = optionalFields(field, object);
  const from = optional('from', parseAddress);
  if (requireFrom && from === undefined) {
    throw new InvalidValueError(
      `${field}.from`,
      'the address that calls, 20 bytes as "0x" and 40 digits. Give your client an account, or set "requireFrom": false for this network',
      object.from,
    );
  }
  return definedOnly({
    from,
    to: optional('to', parseAddress),
    gas: optional('gas', parseQuantity),
    nonce: optional('nonce', parseQuantity),
    gasPrice: optional('gasPrice', parseQuantity),
    maxFeePerGas: optional('maxFeePerGas', parseQuantity),
    maxPriorityFeePerGas: optional('maxPriorityFeePerGas', parseQuantity),
    value: optional('value', parseQuantity),
    data: parseInput(field, object),
    chainId: optional('chainId', parseQuantity),
    accessList: optional('accessList', parseAccessList),
    maxFeePerBlobGas: optional('maxFeePerBlobGas', parseQuantity),
    blobVersionedHashes: optional('blobVersionedHashes', (at, value) => parseList(at, value, parseHash)),
    authorizationList: optional('authorizationList', (at, value) => parseList(at, value, parseAuthorization)),
  });
}

/** `input` is the newer name of `data`; both may be given if they are the same. */
function parseInput(field: string, object: JsonObject): Hex | undefined {
  const optional = optionalFields(field, object);
  const data = optional('data', parseData);
  const input = optional('input', parseData);
  if (data !== undefined && input !== undefined && data !== input) {
    throw new InvalidValueError(
      `${field}.data`,
      `the same as ${field}.input, which is its newer name: send one of them`,
      data,
    );
  }
  return input ?? data;
}

function parseAccessList(field: string, value: unknown): AccessListEntry[] {
  return parseList(field, value, (at, entry) => {
    const object = parseObject(at, entry, 'an object with address and storageKeys');
    return {
      address: parseAddress(`${at}.address`, object.address),
      storageKeys: parseList(`${at}.storageKeys`, object.storageKeys ?? [], parseHash),
    };
  });
}

function parseAuthorization(field: string, value: unknown): Authorization {
  const object = parseObject(field, value, 'an object with chainId, address, nonce, yParity, r and s');
  const number = (name: string) => parseQuantity(`${field}.${name}`, object[name]);
  return {
    chainId: number('chainId'),
    address: parseAddress(`${field}.address`, object.address),
    nonce: number('nonce'),
    // `v` is what some clients still call it.
    yParity: parseQuantity(`${field}.yParity`, object.yParity ?? object.v),
    r: number('r'),
    s: number('s'),
  };
}
