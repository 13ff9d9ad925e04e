import { ethCall } from './eth-call.ts';
import { ethCreateAccessList } from './eth-create-access-list.ts';
import { ethEstimateGas } from './eth-estimate-gas.ts';
import { ethFillTransaction } from './eth-fill-transaction.ts';
import { ethSimulateV1 } from './eth-simulate-v1.ts';

export const executionMethods = [ethCall, ethEstimateGas, ethCreateAccessList, ethFillTransaction, ethSimulateV1];
