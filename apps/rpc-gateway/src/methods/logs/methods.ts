import { ethGetLogs } from './eth-get-logs.ts';

export const logMethods = [ethGetLogs];
