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

export const blockMethods = [
  ethGetBlockByHash,
  ethGetBlockByNumber,
  ethGetHeaderByHash,
  ethGetHeaderByNumber,
  ethGetBlockTransactionCountByHash,
  ethGetBlockTransactionCountByNumber,
  ethGetUncleByBlockHashAndIndex,
  ethGetUncleByBlockNumberAndIndex,
  ethGetUncleCountByBlockHash,
  ethGetUncleCountByBlockNumber,
];
