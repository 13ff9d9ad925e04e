import { type Hex, InvalidValueError, parseAddress, parseData, parseQuantity, parseUint64 } from '@cairn/block-model';
import type { AccountOverride, BlockOverrides, StateOverrides } from './call-request.ts';
import { InvalidOverrideError } from './errors.ts';
import {
  entriesMax,
  gethStructs,
  optionalFields,
  parseList,
  parseObject,
  parseWord,
  withoutUndefined,
} from './parse-json.ts';

/**
 * Parses the third parameter of eth_call: accounts by address.
 * @throws VALUE_INVALID with the field, the expected form and the value
 */
export function parseStateOverrides(json: unknown, field = 'stateOverrides'): StateOverrides {
  const object = parseObject(field, json, 'an object of accounts by address', 'override.StateOverride');
  const entries = Object.entries(object);
  if (entries.length > entriesMax) {
    throw new InvalidValueError(field, `at most ${entriesMax} accounts`, entries.length);
  }
  return new Map(
    entries.map(([key, value]) => {
      const account = parseAccount(`${field}.${key.slice(0, addressCharacters).toLowerCase()}`, value);
      return [parseAddress(`${field}, key`, key), account] as const;
    }),
  );
}

const addressCharacters = 42;
const parseBytes = (field: string, value: unknown) => parseData(field, value);
const parseBig = (field: string, value: unknown) => parseQuantity(field, value);
const parseNumber64 = (field: string, value: unknown) => parseUint64(field, value);

function parseAccount(field: string, json: unknown): AccountOverride {
  const object = parseObject(field, json, 'an object such as {"balance":"0x1"}', 'override.OverrideAccount');
  const optional = optionalFields(field, object, gethStructs.account);
  return withoutUndefined({
    nonce: optional('nonce', parseNumber64),
    balance: optional('balance', parseBig),
    code: optional('code', parseBytes),
    state: optional('state', parseSlots),
    stateDiff: optional('stateDiff', parseSlots),
    movePrecompileToAddress: optional('movePrecompileToAddress', parseAddress),
  });
}

const slotCharacters = 66;

function parseSlots(field: string, json: unknown): ReadonlyMap<Hex, Hex> {
  const shape = 'an object of 32-byte values by 32-byte slot';
  const entries = Object.entries(parseObject(field, json, shape, 'map[common.Hash]common.Hash'));
  if (entries.length > entriesMax) throw new InvalidValueError(field, `at most ${entriesMax} slots`, entries.length);
  return new Map(
    entries.map(([slot, value]) => {
      const word = parseWord(`${field}.${slot.slice(0, slotCharacters)}`, value);
      return [parseWord(`${field}, key`, slot), word] as const;
    }),
  );
}

const notInCalls = ['beaconRoot', 'withdrawals'] as const;

/**
 * Parses the fourth parameter of eth_call.
 * @throws VALUE_INVALID with the field, OVERRIDE_INVALID for fields that only eth_simulateV1 supports
 */
export function parseBlockOverrides(json: unknown, field = 'blockOverrides'): BlockOverrides {
  const object = parseObject(field, json, 'an object such as {"number":"0x1"}', 'override.BlockOverrides');
  const fields = parseBlockFields(object, field);
  const optional = optionalFields(field, object, gethStructs.block);
  optional('beaconRoot', parseWord);
  optional('withdrawals', (at, value) => parseList(at, value, (_, item) => item, 'types.Withdrawals'));
  for (const name of notInCalls) {
    if (object[name] === undefined || object[name] === null) continue;
    throw new InvalidOverrideError(`${field}.${name}`, `block override "${name}" is not supported for this RPC method`);
  }
  return fields;
}

/** Parses the block overrides that calls and simulations share. @throws VALUE_INVALID with the field */
export function parseBlockFields(json: unknown, field: string): BlockOverrides {
  const object = parseObject(field, json, 'an object such as {"number":"0x1"}', 'override.BlockOverrides');
  const optional = optionalFields(field, object, gethStructs.block);
  return withoutUndefined({
    number: optional('number', parseBig),
    difficulty: optional('difficulty', parseBig),
    time: optional('time', parseNumber64),
    gasLimit: optional('gasLimit', parseNumber64),
    feeRecipient: optional('feeRecipient', parseAddress),
    prevRandao: optional('prevRandao', parseWord),
    baseFeePerGas: optional('baseFeePerGas', parseBig),
    blobBaseFee: optional('blobBaseFee', parseBig),
  });
}
