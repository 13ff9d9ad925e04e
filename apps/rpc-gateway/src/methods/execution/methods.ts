import { ethCall } from './eth-call.ts';

export const executionMethods = [ethCall];
