import type { AnyMethod } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../request-context.ts';
import { blockMethods } from './blocks/methods.ts';
import { chainMethods } from './chain/methods.ts';
import { executionMethods } from './execution/methods.ts';

/** Every method of the gateway. */
export const methods: readonly AnyMethod<RequestContext>[] = [...blockMethods, ...executionMethods, ...chainMethods];
