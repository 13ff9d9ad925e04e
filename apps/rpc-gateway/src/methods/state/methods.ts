import { ethGetBalance, ethGetCode, ethGetTransactionCount } from './accounts.ts';
import { ethGetAccount } from './eth-get-account.ts';
import { ethGetProof } from './eth-get-proof.ts';
import { ethGetStorageAt, ethGetStorageValues } from './storage.ts';

export const stateMethods = [
  ethGetAccount,
  ethGetBalance,
  ethGetCode,
  ethGetProof,
  ethGetStorageAt,
  ethGetStorageValues,
  ethGetTransactionCount,
];
