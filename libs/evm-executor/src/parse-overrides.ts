import { type Hex, InvalidValueError, parseAddress, parseData, parseQuantity } from '@cairn/block-model';
import type { AccountOverride, BlockOverrides, StateOverrides } from './call-request.ts';
import { InvalidOverrideError } from './errors.ts';
import { definedOnly, entriesMax, optionalFields, parseObject, parseWord } from './parse-json.ts';

/**
 * Reads the third parameter of eth_call: accounts by address.
 * @throws VALUE_INVALID naming the field, what it takes and what it got
 */
export function parseStateOverrides(json: unknown, field = 'stateOverrides'): StateOverrides {
  const object = parseObject(field, json, 'an object of accounts by address');
  const entries = Object.entries(object);
  if (entries.length > entriesMax) {
    throw new InvalidValueError(field, `at most ${entriesMax} accounts`, entries.length);
  }
  return new Map(
    entries.map(([key, value]) => {
      const address = parseAddress(`${field}, key`, key);
      return [address, parseAccount(`${field}.${address}`, value)] as const;
    }),
  );
}

function parseAccount(field: string, json: unknown): AccountOverride {
  const optional = optionalFields(field, parseObject(field, json, 'an object such as {"balance":"0x1"}'));
  const override = definedOnly({
    nonce: optional('nonce', parseQuantity),
    balance: optional('balance', parseQuantity),
    code: optional('code', parseData),
    state: optional('state', parseSlots),
    stateDiff: optional('stateDiff', parseSlots),
    movePrecompileToAddress: optional('movePrecompileToAddress', parseAddress),
  });
  if (override.state !== undefined && override.stateDiff !== undefined) {
    throw new InvalidValueError(`${field}.stateDiff`, 'to be absent, since state is given', '{…}');
  }
  return override;
}

function parseSlots(field: string, json: unknown): ReadonlyMap<Hex, Hex> {
  const entries = Object.entries(parseObject(field, json, 'an object of 32-byte values by 32-byte slot'));
  if (entries.length > entriesMax) throw new InvalidValueError(field, `at most ${entriesMax} slots`, entries.length);
  return new Map(
    entries.map(([slot, value]) => [parseWord(`${field}, key`, slot), parseWord(`${field}.${slot}`, value)]),
  );
}

const notInCalls = ['beaconRoot', 'withdrawals'] as const;

/**
 * Reads the fourth parameter of eth_call.
 * @throws VALUE_INVALID naming the field, OVERRIDE_INVALID for fields that only simulations of whole blocks have
 */
export function parseBlockOverrides(json: unknown, field = 'blockOverrides'): BlockOverrides {
  const object = parseObject(field, json, 'an object such as {"number":"0x1"}');
  for (const name of notInCalls) {
    if (object[name] === undefined || object[name] === null) continue;
    throw new InvalidOverrideError(`${field}.${name}`, `block override "${name}" is not supported for this RPC method`);
  }
  return parseBlockFields(object, field);
}

/** The fields that calls and simulations have in common. @throws VALUE_INVALID naming the field */
export function parseBlockFields(json: unknown, field: string): BlockOverrides {
  const optional = optionalFields(field, parseObject(field, json));
  return definedOnly({
    number: optional('number', parseQuantity),
    difficulty: optional('difficulty', parseQuantity),
    time: optional('time', parseTime),
    gasLimit: optional('gasLimit', parseQuantity),
    feeRecipient: optional('feeRecipient', parseAddress),
    prevRandao: optional('prevRandao', parseWord),
    baseFeePerGas: optional('baseFeePerGas', parseQuantity),
    blobBaseFee: optional('blobBaseFee', parseQuantity),
  });
}

const secondsMax = 2n ** 64n - 1n;

function parseTime(field: string, value: unknown): bigint {
  const time = parseQuantity(field, value);
  if (time > secondsMax) throw new InvalidValueError(field, 'seconds since 1970 in 64 bits at most', value);
  return time;
}
