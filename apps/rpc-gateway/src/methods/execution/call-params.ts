import { parseBlockOverrides, parseCallRequest, parseStateOverrides } from '@cairn/evm-executor';
import type { ParamDefinition } from '@cairn/jsonrpc-core';

/** A message. */
export const callParam = {
  name: 'call',
  summary: 'an object with from, to, data and what else a call takes.',
  parse: (_field: string, value: unknown) => parseCallRequest(value),
} satisfies ParamDefinition;

/** What to pretend about accounts. */
export const stateOverridesParam = {
  name: 'stateOverrides',
  summary: 'accounts to see changed, by address.',
  isRequired: false,
  parse: (_field: string, value: unknown) => parseStateOverrides(value),
} satisfies ParamDefinition;

/** What to pretend about the block. */
export const blockOverridesParam = {
  name: 'blockOverrides',
  summary: 'fields of the block to see changed.',
  isRequired: false,
  parse: (_field: string, value: unknown) => parseBlockOverrides(value),
} satisfies ParamDefinition;
