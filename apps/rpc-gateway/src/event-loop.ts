import { EventLoopScheduler } from '@cairn/jsonrpc-core';

/** Event loop time of this process, which all requests share: methods with long work yield by it. */
export const eventLoop = new EventLoopScheduler();
