import {
  ethAccounts,
  ethBlockNumber,
  ethChainId,
  ethSyncing,
  netListening,
  netVersion,
  web3ClientVersion,
} from './simple-methods.ts';

export const chainMethods = [
  ethBlockNumber,
  ethChainId,
  ethSyncing,
  ethAccounts,
  netVersion,
  netListening,
  web3ClientVersion,
];
