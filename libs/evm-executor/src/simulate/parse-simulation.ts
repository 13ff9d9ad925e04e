import { parseAddress, parseQuantity, type Withdrawal } from '@cairn/block-model';
import { parseCallRequest } from '../parse-call-request.ts';
import { definedOnly, optionalFields, parseFlag, parseList, parseObject, parseWord } from '../parse-json.ts';
import { parseBlockFields, parseStateOverrides } from '../parse-overrides.ts';
import type { SimulatedBlock, SimulatedBlockOverrides, Simulation } from './simulation.ts';

/**
 * Reads the first parameter of eth_simulateV1.
 * @throws VALUE_INVALID naming the field, what it takes and what it got
 */
export function parseSimulation(json: unknown, field = 'payload'): Simulation {
  const object = parseObject(field, json, 'an object such as {"blockStateCalls":[{"calls":[…]}]}');
  const optional = optionalFields(field, object);
  return definedOnly({
    blocks: parseList(`${field}.blockStateCalls`, object.blockStateCalls ?? [], parseBlock),
    traceTransfers: optional('traceTransfers', parseFlag),
    validation: optional('validation', parseFlag),
    returnFullTransactions: optional('returnFullTransactions', parseFlag),
  });
}

function parseBlock(field: string, json: unknown): SimulatedBlock {
  const optional = optionalFields(field, parseObject(field, json, 'an object such as {"calls":[…]}'));
  const parseCall = (at: string, value: unknown) => parseCallRequest(value, { field: at });
  return definedOnly({
    blockOverrides: optional('blockOverrides', parseOverrides),
    stateOverrides: optional('stateOverrides', (at, value) => parseStateOverrides(value, at)),
    calls: optional('calls', (at, value) => parseList(at, value, parseCall)) ?? [],
  });
}

function parseOverrides(field: string, json: unknown): SimulatedBlockOverrides {
  const optional = optionalFields(field, parseObject(field, json, 'an object such as {"number":"0x1"}'));
  return definedOnly({
    ...parseBlockFields(json, field),
    beaconRoot: optional('beaconRoot', parseWord),
    withdrawals: optional('withdrawals', (at, value) => parseList(at, value, parseWithdrawal)),
  });
}

function parseWithdrawal(field: string, json: unknown): Withdrawal {
  const object = parseObject(field, json, 'an object with index, validatorIndex, address and amount');
  return {
    index: parseQuantity(`${field}.index`, object.index),
    validatorIndex: parseQuantity(`${field}.validatorIndex`, object.validatorIndex),
    address: parseAddress(`${field}.address`, object.address),
    amount: parseQuantity(`${field}.amount`, object.amount),
  };
}
