import { Turns } from '@cairn/jsonrpc-core';

/** Time of the event loop of this process, which all requests share: methods that work long on it take turns. */
export const turns = new Turns();
