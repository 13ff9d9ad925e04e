import { ethGetBlockReceipts, ethGetTransactionReceipt } from './receipts.ts';
import {
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionByHash,
} from './transactions.ts';

export const transactionMethods = [
  ethGetTransactionByHash,
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionReceipt,
  ethGetBlockReceipts,
];
