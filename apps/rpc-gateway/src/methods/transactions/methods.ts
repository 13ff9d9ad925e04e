import type { TransactionSender } from '../../sending/transaction-sender.ts';
import { ethGetTransactionBySenderAndNonce } from './by-sender.ts';
import { ethSendRawTransaction } from './eth-send-raw-transaction.ts';
import { ethSendRawTransactionSync } from './eth-send-raw-transaction-sync.ts';
import { ethGetBlockReceipts, ethGetTransactionReceipt } from './receipts.ts';
import {
  ethGetRawTransactionByBlockHashAndIndex,
  ethGetRawTransactionByBlockNumberAndIndex,
  ethGetRawTransactionByHash,
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionByHash,
} from './transactions.ts';

export const transactionMethods = (sender: TransactionSender) => [
  ethGetTransactionByHash(sender.sent),
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionBySenderAndNonce,
  ethGetRawTransactionByHash,
  ethGetRawTransactionByBlockHashAndIndex,
  ethGetRawTransactionByBlockNumberAndIndex,
  ethGetTransactionReceipt,
  ethGetBlockReceipts,
  ethSendRawTransaction(sender),
  ethSendRawTransactionSync(sender),
];
