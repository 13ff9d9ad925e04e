import { ethFeeHistory } from './eth-fee-history.ts';
import { ethBaseFee, ethBlobBaseFee, ethGasPrice, ethMaxPriorityFeePerGas } from './fees.ts';

export const feeMethods = [ethBaseFee, ethBlobBaseFee, ethFeeHistory, ethGasPrice, ethMaxPriorityFeePerGas];
