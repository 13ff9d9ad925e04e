import { quantity } from '@cairn/block-model';
import { define } from '../define.ts';
import { addressParam } from '../params.ts';

// Methods about a node and its transaction pool. This gateway has no peers, accounts or pending transactions, and returns what a geth
// without them returns.

const noTransactions = { pending: {}, queued: {} } as const;
const poolSummary = 'the transaction pool. This gateway has no pending transactions.';

export const netPeerCount = define({
  name: 'net_peerCount',
  summary: 'Returns the number of peers: 0, since this gateway follows a source or serves files.',
  params: [],
  result: 'A quantity: "0x0".',
  reveals: 'nothing',
  handle: () => quantity(0),
});

export const ethPendingTransactions = define({
  name: 'eth_pendingTransactions',
  summary: 'Lists pending transactions of accounts that this gateway signs for: none.',
  params: [],
  result: 'An empty list.',
  reveals: 'anything',
  handle: () => [],
});

export const txpoolStatus = define({
  name: 'txpool_status',
  summary: `Returns the numbers of transactions in ${poolSummary}`,
  params: [],
  result: 'An object with pending and queued, both "0x0".',
  reveals: 'nothing',
  handle: () => ({ pending: quantity(0), queued: quantity(0) }),
});

export const txpoolContent = define({
  name: 'txpool_content',
  summary: `Lists the transactions in ${poolSummary}`,
  params: [],
  result: 'An object with pending and queued, both empty.',
  reveals: 'anything',
  handle: () => noTransactions,
});

export const txpoolContentFrom = define({
  name: 'txpool_contentFrom',
  summary: `Lists the transactions of an account in ${poolSummary}`,
  params: [addressParam],
  result: 'An object with pending and queued, both empty.',
  reveals: 'anything',
  handle: () => noTransactions,
});

export const txpoolInspect = define({
  name: 'txpool_inspect',
  summary: `Lists summaries of the transactions in ${poolSummary}`,
  params: [],
  result: 'An object with pending and queued, both empty.',
  reveals: 'anything',
  handle: () => noTransactions,
});

// geth removed the following methods together with mining. Other clients keep them and return these results when they do not mine.

export const ethProtocolVersion = define({
  name: 'eth_protocolVersion',
  summary:
    'Returns the version of the Ethereum wire protocol, in the format of reth. geth 1.17 does not have this method.',
  params: [],
  result: 'A quantity: "0x45", which is eth/69 (EIP-7642).',
  reveals: 'nothing',
  handle: () => quantity(69),
});

export const ethMining = define({
  name: 'eth_mining',
  summary: 'Reports whether this gateway mines, in the format of Nethermind. geth 1.17 does not have this method.',
  params: [],
  result: 'false.',
  reveals: 'nothing',
  handle: () => false,
});

export const ethHashrate = define({
  name: 'eth_hashrate',
  summary:
    'Returns the hash rate per second, in the format of Nethermind and reth. geth 1.17 does not have this method.',
  params: [],
  result: 'A quantity: "0x0".',
  reveals: 'nothing',
  handle: () => quantity(0),
});

export const ethCoinbase = define({
  name: 'eth_coinbase',
  summary:
    'Returns the account that receives mining rewards, in the format of Nethermind. geth 1.17 does not have this method.',
  params: [],
  result: 'The zero address.',
  reveals: 'nothing',
  handle: () => `0x${'00'.repeat(20)}`,
});
