import { Turns } from '@cairn/jsonrpc-core';

/** Time slices of this process, which all requests share: methods with long work on the event loop yield by them. */
export const turns = new Turns();
