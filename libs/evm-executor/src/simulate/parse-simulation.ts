import { parseAddress, parseMember, parseUint64, type Withdrawal } from '@cairn/block-model';
import { parseCallRequest } from '../parse-call-request.ts';
import {
  gethStructs,
  optionalFields,
  parseFlag,
  parseList,
  parseObject,
  parseWord,
  withoutUndefined,
} from '../parse-json.ts';
import { parseBlockFields, parseStateOverrides } from '../parse-overrides.ts';
import type { SimulatedBlock, SimulatedBlockOverrides, Simulation } from './simulation.ts';

/**
 * Parses the first parameter of eth_simulateV1.
 * @throws VALUE_INVALID with the field, the expected form and the value
 */
export function parseSimulation(json: unknown, field = 'payload'): Simulation {
  const object = parseObject(field, json, 'an object such as {"blockStateCalls":[{"calls":[…]}]}', 'ethapi.simOpts');
  const optional = optionalFields(field, object, gethStructs.simulation);
  return withoutUndefined({
    blocks: optional('blockStateCalls', (at, value) => parseList(at, value, parseBlock, '[]ethapi.simBlock')) ?? [],
    traceTransfers: optional('traceTransfers', parseFlag),
    validation: optional('validation', parseFlag),
    returnFullTransactions: optional('returnFullTransactions', parseFlag),
  });
}

function parseBlock(field: string, json: unknown): SimulatedBlock {
  const object = parseObject(field, json, 'an object such as {"calls":[…]}', 'ethapi.simBlock');
  const optional = optionalFields(field, object, gethStructs.simulatedBlock);
  const parseCall = (at: string, value: unknown) => parseCallRequest(value, { field: at });
  return withoutUndefined({
    blockOverrides: optional('blockOverrides', parseOverrides),
    stateOverrides: optional('stateOverrides', (at, value) => parseStateOverrides(value, at)),
    calls: optional('calls', (at, value) => parseList(at, value, parseCall, '[]ethapi.TransactionArgs')) ?? [],
  });
}

function parseOverrides(field: string, json: unknown): SimulatedBlockOverrides {
  const object = parseObject(field, json, 'an object such as {"number":"0x1"}', 'override.BlockOverrides');
  const optional = optionalFields(field, object, gethStructs.block);
  return withoutUndefined({
    ...parseBlockFields(json, field),
    beaconRoot: optional('beaconRoot', parseWord),
    withdrawals: optional('withdrawals', (at, value) => parseList(at, value, parseWithdrawal, 'types.Withdrawals'), {
      isOpaque: true,
    }),
  });
}

function parseWithdrawal(field: string, json: unknown): Withdrawal {
  const shape = 'an object with index, validatorIndex, address and amount';
  const object = parseObject(field, json, shape, 'types.Withdrawal');
  const member = <T>(name: string, parse: (at: string, value: unknown) => T) =>
    parseMember({ name: 'Withdrawal' }, name, () => parse(`${field}.${name}`, object[name]));
  const number = (at: string, value: unknown) => parseUint64(at, value);
  return {
    index: member('index', number),
    validatorIndex: member('validatorIndex', number),
    address: member('address', parseAddress),
    amount: member('amount', number),
  };
}
