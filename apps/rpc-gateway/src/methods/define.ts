import { defineMethod } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../request-context.ts';

/** Declares a method of the gateway. */
export const define = defineMethod<RequestContext>();
