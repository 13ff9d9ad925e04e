import { ethGetLogs } from './eth-get-logs.ts';
import {
  ethGetFilterChanges,
  ethGetFilterLogs,
  ethNewBlockFilter,
  ethNewFilter,
  ethNewPendingTransactionFilter,
  ethUninstallFilter,
} from './filters.ts';
import { ethSubscribe, ethUnsubscribe } from './subscribe.ts';

export const logMethods = [
  ethGetLogs,
  ethSubscribe,
  ethUnsubscribe,
  ethNewFilter,
  ethNewBlockFilter,
  ethNewPendingTransactionFilter,
  ethGetFilterChanges,
  ethGetFilterLogs,
  ethUninstallFilter,
];
