import { type Hex, quantity } from '@cairn/block-model';
import {
  type AccountOverride,
  type BlockOverrides,
  type CallRequest,
  parseBlockOverrides,
  parseCallRequest,
  parseStateOverrides,
  type StateOverrides,
} from '@cairn/evm-executor';

/** The parameters of eth_call except the block. */
export interface CallMessage {
  readonly call: CallRequest;
  readonly stateOverrides?: StateOverrides | undefined;
  readonly blockOverrides?: BlockOverrides | undefined;
}

/** The same parameters in JSON, as clients send them. */
export interface CallMessageJson {
  readonly call: unknown;
  readonly stateOverrides?: unknown;
  readonly blockOverrides?: unknown;
}

/** @throws VALUE_INVALID, OVERRIDE_INVALID */
export function parseCallMessage({ call, stateOverrides, blockOverrides }: CallMessageJson): CallMessage {
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  return {
    call: parseCallRequest(call),
    ...(isGiven(stateOverrides) && { stateOverrides: parseStateOverrides(stateOverrides) }),
    ...(isGiven(blockOverrides) && { blockOverrides: parseBlockOverrides(blockOverrides) }),
  };
}

/** Text of a message. Equal messages have equal texts, and `parseCallMessage` reads the parsed text. */
export function textOfCallMessage({ call, stateOverrides, blockOverrides }: CallMessage): string {
  return JSON.stringify({
    call: plain(call),
    ...(stateOverrides !== undefined && { stateOverrides: byKey(stateOverrides, overrideJson) }),
    ...(blockOverrides !== undefined && { blockOverrides: plain(blockOverrides) }),
  });
}

function overrideJson({ state, stateDiff, ...fields }: AccountOverride): unknown {
  return {
    ...(plain(fields) as object),
    ...(state && { state: byKey(state, (value) => value) }),
    ...(stateDiff && { stateDiff: byKey(stateDiff, (value) => value) }),
  };
}

function byKey<Value>(map: ReadonlyMap<Hex, Value>, jsonOf: (value: Value) => unknown): Readonly<Record<Hex, unknown>> {
  const sorted = [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [key, jsonOf(value)]));
}

/** Prints integers as QUANTITY and drops absent fields. The parsers create fields in one order. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return quantity(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => [key, plain(each)]),
  );
}
