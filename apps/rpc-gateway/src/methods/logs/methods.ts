import { ethGetLogs } from './eth-get-logs.ts';
import { ethSubscribe, ethUnsubscribe } from './subscribe.ts';

export const logMethods = [ethGetLogs, ethSubscribe, ethUnsubscribe];
