import {
  type AccessListEntry,
  type Authorization,
  type Hex,
  InvalidValueError,
  parseAddress,
  parseData,
  parseHash,
  parseQuantity,
  parseUint64,
} from '@cairn/block-model';
import type { CallRequest } from './call-request.ts';
import {
  gethStructs,
  type JsonObject,
  optionalFields,
  parseList,
  parseObject,
  requiredFields,
  withoutUndefined,
} from './parse-json.ts';

export interface ParseCallRequestOptions {
  /** Refuse calls without `from`. Default false. */
  readonly requireFrom?: boolean;
  /** Name of the object in errors. Default `call`. */
  readonly field?: string;
}

/**
 * Parses the first parameter of eth_call (GenericTransaction of execution-apis). As in nodes, unknown fields are ignored and
 * `null` means absent.
 * @throws VALUE_INVALID with the field, the expected form and the value
 */
export function parseCallRequest(json: unknown, options: ParseCallRequestOptions = {}): CallRequest {
  const { requireFrom = false, field = 'call' } = options;
  const object = parseObject(field, json, 'an object such as {"to":"0x…","data":"0x…"}', 'ethapi.TransactionArgs');
  const optional = optionalFields(field, object, gethStructs.call);
  const from = optional('from', parseAddress);
  if (requireFrom && from === undefined) {
    throw new InvalidValueError(
      `${field}.from`,
      'the address that calls, 20 bytes as "0x" and 40 digits. Give your client an account, or set "requireFrom": false for this network',
      object.from,
    );
  }
  return withoutUndefined({
    from,
    to: optional('to', parseAddress),
    gas: optional('gas', parseNumber64),
    nonce: optional('nonce', parseNumber64),
    gasPrice: optional('gasPrice', parseBig),
    maxFeePerGas: optional('maxFeePerGas', parseBig),
    maxPriorityFeePerGas: optional('maxPriorityFeePerGas', parseBig),
    value: optional('value', parseBig),
    data: parseInput(field, object),
    chainId: optional('chainId', parseBig),
    accessList: optional('accessList', parseAccessList, { isOpaque: true }),
    maxFeePerBlobGas: optional('maxFeePerBlobGas', parseBig),
    blobVersionedHashes: optional('blobVersionedHashes', (at, value) =>
      parseList(at, value, parseHash, '[]common.Hash'),
    ),
    authorizationList: optional(
      'authorizationList',
      (at, value) => parseList(at, value, parseAuthorization, '[]types.SetCodeAuthorization'),
      { isOpaque: true },
    ),
  });
}

/** Parses `data` under both of its names. `input` is the newer one and takes precedence. */
function parseInput(field: string, object: JsonObject): Hex | undefined {
  const optional = optionalFields(field, object, gethStructs.call);
  const data = optional('data', parseBytes);
  const input = optional('input', parseBytes);
  return input ?? data;
}

// Parsers with exactly two parameters, as lists and fields pass them.
const parseBytes = (field: string, value: unknown) => parseData(field, value);
const parseBig = (field: string, value: unknown) => parseQuantity(field, value);
const parseNumber64 = (field: string, value: unknown) => parseUint64(field, value);
const parseWord256 = (field: string, value: unknown) => parseQuantity(field, value, '*uint256.Int');

function parseAccessList(field: string, value: unknown): AccessListEntry[] {
  return parseList(field, value, parseAccessTuple, 'types.AccessList');
}

function parseAccessTuple(field: string, value: unknown): AccessListEntry {
  const object = parseObject(field, value, 'an object with address and storageKeys', 'types.AccessTuple');
  const required = requiredFields(field, object, 'AccessTuple');
  return {
    address: required('address', parseAddress),
    storageKeys: required('storageKeys', (at, keys) => parseList(at, keys, parseHash, '[]common.Hash')),
  };
}

function parseAuthorization(field: string, value: unknown): Authorization {
  const shape = 'an object with chainId, address, nonce, yParity, r and s';
  const object = parseObject(field, value, shape, 'types.SetCodeAuthorization');
  // Geth reads no `v` in place of `yParity`. An authorization with 27 or 28 would be skipped without an error.
  const required = requiredFields(field, object, 'SetCodeAuthorization');
  return {
    chainId: required('chainId', parseWord256),
    address: required('address', parseAddress),
    nonce: required('nonce', parseNumber64),
    yParity: required('yParity', parseNumber64),
    r: required('r', parseWord256),
    s: required('s', parseWord256),
  };
}
