import {
  ethGetBlockTransactionCountByHash,
  ethGetBlockTransactionCountByNumber,
  ethGetUncleByBlockHashAndIndex,
  ethGetUncleByBlockNumberAndIndex,
  ethGetUncleCountByBlockHash,
  ethGetUncleCountByBlockNumber,
} from './counts-and-uncles.ts';
import { ethGetBlockByHash } from './eth-get-block-by-hash.ts';
import { ethGetBlockByNumber } from './eth-get-block-by-number.ts';
import { ethGetHeaderByHash, ethGetHeaderByNumber } from './headers.ts';
import type { PendingBlocks } from './pending-blocks.ts';

export const blockMethods = (pending: PendingBlocks) => [
  ethGetBlockByHash,
  ethGetBlockByNumber(pending),
  ethGetHeaderByHash,
  ethGetHeaderByNumber(pending),
  ethGetBlockTransactionCountByHash,
  ethGetBlockTransactionCountByNumber,
  ethGetUncleByBlockHashAndIndex,
  ethGetUncleByBlockNumberAndIndex,
  ethGetUncleCountByBlockHash,
  ethGetUncleCountByBlockNumber,
];
