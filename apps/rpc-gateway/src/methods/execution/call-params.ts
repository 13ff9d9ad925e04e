import { parseBlockOverrides, parseCallRequest, parseStateOverrides } from '@cairn/evm-executor';
import type { ParamDefinition } from '@cairn/jsonrpc-core';
import { paramSchemas } from '../../param-schemas.ts';

/** Parameter: a message to execute. */
export const callParam = {
  name: 'call',
  summary: 'an object with from, to, data and other call fields.',
  schema: paramSchemas.call,
  parse: (_field: string, value: unknown) => parseCallRequest(value),
} satisfies ParamDefinition;

/** Parameter: accounts that the execution sees changed. */
export const stateOverridesParam = {
  name: 'stateOverrides',
  summary: 'changed accounts, by address.',
  schema: paramSchemas.stateOverrides,
  isRequired: false,
  parse: (_field: string, value: unknown) => parseStateOverrides(value),
} satisfies ParamDefinition;

/** Parameter: block fields that the execution sees changed. */
export const blockOverridesParam = {
  name: 'blockOverrides',
  summary: 'changed fields of the block.',
  schema: paramSchemas.blockOverrides,
  isRequired: false,
  parse: (_field: string, value: unknown) => parseBlockOverrides(value),
} satisfies ParamDefinition;
