import type { AnyMethod } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../request-context.ts';
import { ethCall } from './eth-call.ts';
import { ethGetBlockByHash } from './eth-get-block-by-hash.ts';
import { ethGetBlockByNumber } from './eth-get-block-by-number.ts';
import {
  ethAccounts,
  ethBlockNumber,
  ethChainId,
  ethSyncing,
  netListening,
  netVersion,
  web3ClientVersion,
} from './simple-methods.ts';

/** Every method of the gateway. */
export const methods: readonly AnyMethod<RequestContext>[] = [
  ethGetBlockByHash,
  ethGetBlockByNumber,
  ethCall,
  ethBlockNumber,
  ethChainId,
  ethSyncing,
  ethAccounts,
  netVersion,
  netListening,
  web3ClientVersion,
];
