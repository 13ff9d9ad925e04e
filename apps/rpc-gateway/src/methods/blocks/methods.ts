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

export const blockMethods = [
  ethGetBlockByHash,
  ethGetBlockByNumber,
  ethGetBlockTransactionCountByHash,
  ethGetBlockTransactionCountByNumber,
  ethGetUncleByBlockHashAndIndex,
  ethGetUncleByBlockNumberAndIndex,
  ethGetUncleCountByBlockHash,
  ethGetUncleCountByBlockNumber,
];
