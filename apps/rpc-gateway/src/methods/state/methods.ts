import { ethGetBalance, ethGetCode, ethGetStorageAt, ethGetStorageValues, ethGetTransactionCount } from './accounts.ts';
import { ethGetProof } from './eth-get-proof.ts';

export const stateMethods = [
  ethGetBalance,
  ethGetCode,
  ethGetProof,
  ethGetStorageAt,
  ethGetStorageValues,
  ethGetTransactionCount,
];
