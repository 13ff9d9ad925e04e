import { ethGetTransactionBySenderAndNonce } from './by-sender.ts';
import { ethGetBlockReceipts, ethGetTransactionReceipt } from './receipts.ts';
import {
  ethGetRawTransactionByBlockHashAndIndex,
  ethGetRawTransactionByBlockNumberAndIndex,
  ethGetRawTransactionByHash,
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionByHash,
} from './transactions.ts';

export const transactionMethods = [
  ethGetTransactionByHash,
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionBySenderAndNonce,
  ethGetRawTransactionByHash,
  ethGetRawTransactionByBlockHashAndIndex,
  ethGetRawTransactionByBlockNumberAndIndex,
  ethGetTransactionReceipt,
  ethGetBlockReceipts,
];
