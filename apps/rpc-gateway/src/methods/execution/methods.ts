import { cairnCall } from './cairn-call.ts';
import type { CallExecutor } from './call-executor.ts';
import { ethCall } from './eth-call.ts';
import { ethCreateAccessList } from './eth-create-access-list.ts';
import { ethEstimateGas } from './eth-estimate-gas.ts';
import { ethFillTransaction } from './eth-fill-transaction.ts';
import { ethSimulateV1 } from './eth-simulate-v1.ts';

export const executionMethods = (executor: CallExecutor) => [
  ethCall(executor),
  ethEstimateGas(executor),
  ethCreateAccessList(executor),
  ethFillTransaction(executor),
  ethSimulateV1(executor),
  cairnCall(executor),
];
