import { ethConfig } from './eth-config.ts';
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
  netVersion,
  netListening,
  web3ClientVersion,
  web3Sha3,
  ethConfig,
];
