import type { FilterRegistry } from '../../subscriptions/filter-registry.ts';
import { cairnGetLogs } from './cairn-get-logs.ts';
import { ethGetLogs } from './eth-get-logs.ts';
import {
  ethGetFilterChanges,
  ethGetFilterLogs,
  ethNewBlockFilter,
  ethNewFilter,
  ethNewPendingTransactionFilter,
  ethUninstallFilter,
} from './filters.ts';
import { cairnResume, ethSubscribe, ethUnsubscribe } from './subscribe.ts';

export const logMethods = (filters: FilterRegistry) => [
  ethGetLogs,
  cairnGetLogs,
  ethSubscribe,
  ethUnsubscribe,
  cairnResume,
  ethNewFilter(filters),
  ethNewBlockFilter(filters),
  ethNewPendingTransactionFilter(filters),
  ethGetFilterChanges(filters),
  ethGetFilterLogs(filters),
  ethUninstallFilter(filters),
];
