import { ethCapabilities } from './eth-capabilities.ts';
import { ethConfig } from './eth-config.ts';
import {
  ethCoinbase,
  ethHashrate,
  ethMining,
  ethPendingTransactions,
  ethProtocolVersion,
  netPeerCount,
  txpoolContent,
  txpoolContentFrom,
  txpoolInspect,
  txpoolStatus,
} from './node-methods.ts';
import {
  ethAccounts,
  ethBlockNumber,
  ethChainId,
  ethSyncing,
  netListening,
  netVersion,
  web3ClientVersion,
  web3Sha3,
} from './simple-methods.ts';

export const chainMethods = [
  ethBlockNumber,
  ethChainId,
  ethSyncing,
  ethAccounts,
  ethCapabilities,
  ethConfig,
  netVersion,
  netListening,
  netPeerCount,
  web3ClientVersion,
  web3Sha3,
  ethCoinbase,
  ethHashrate,
  ethMining,
  ethProtocolVersion,
];

/** Methods of the transaction pool. */
export const poolMethods = [ethPendingTransactions, txpoolContent, txpoolContentFrom, txpoolInspect, txpoolStatus];
