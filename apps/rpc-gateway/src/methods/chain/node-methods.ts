import { quantity } from '@cairn/block-model';
import { define } from '../define.ts';
import { addressParam } from '../params.ts';

// Methods about a node and its pool. This gateway has no peers, no keys and no transactions that wait: the answers are those
// of a geth without them.

const noTransactions = { pending: {}, queued: {} } as const;
const poolSummary = 'the pool of transactions that wait. This gateway has none.';

export const netPeerCount = define({
  name: 'net_peerCount',
  summary: 'The number of peers: none, since this gateway follows a source or serves files.',
  params: [],
  result: 'A quantity: "0x0".',
  reveals: 'nothing',
  handle: () => quantity(0),
});

export const ethPendingTransactions = define({
  name: 'eth_pendingTransactions',
  summary: 'Transactions that wait, from accounts that this gateway signs for: none.',
  params: [],
  result: 'An empty list.',
  reveals: 'anything',
  handle: () => [],
});

export const txpoolStatus = define({
  name: 'txpool_status',
  summary: `Numbers of transactions in ${poolSummary}`,
  params: [],
  result: 'An object with pending and queued, both "0x0".',
  reveals: 'nothing',
  handle: () => ({ pending: quantity(0), queued: quantity(0) }),
});

export const txpoolContent = define({
  name: 'txpool_content',
  summary: `Transactions in ${poolSummary}`,
  params: [],
  result: 'An object with pending and queued, both empty.',
  reveals: 'anything',
  handle: () => noTransactions,
});

export const txpoolContentFrom = define({
  name: 'txpool_contentFrom',
  summary: `Transactions of an account in ${poolSummary}`,
  params: [addressParam],
  result: 'An object with pending and queued, both empty.',
  reveals: 'anything',
  handle: () => noTransactions,
});

export const txpoolInspect = define({
  name: 'txpool_inspect',
  summary: `Transactions in short form in ${poolSummary}`,
  params: [],
  result: 'An object with pending and queued, both empty.',
  reveals: 'anything',
  handle: () => noTransactions,
});

// geth removed the methods below with mining. Other clients keep them, and answer so where they do not mine.

export const ethProtocolVersion = define({
  name: 'eth_protocolVersion',
  summary: 'The version of the wire protocol of Ethereum, in the form of reth. geth 1.17 does not have this method.',
  params: [],
  result: 'A quantity: "0x45", which is eth/69 (EIP-7642).',
  reveals: 'nothing',
  handle: () => quantity(69),
});

export const ethMining = define({
  name: 'eth_mining',
  summary: 'Whether this gateway mines, in the form of Nethermind. geth 1.17 does not have this method.',
  params: [],
  result: 'false.',
  reveals: 'nothing',
  handle: () => false,
});

export const ethHashrate = define({
  name: 'eth_hashrate',
  summary: 'Hashes a second, in the form of Nethermind and reth. geth 1.17 does not have this method.',
  params: [],
  result: 'A quantity: "0x0".',
  reveals: 'nothing',
  handle: () => quantity(0),
});

export const ethCoinbase = define({
  name: 'eth_coinbase',
  summary: 'The account that mining would pay, in the form of Nethermind. geth 1.17 does not have this method.',
  params: [],
  result: 'The zero address.',
  reveals: 'nothing',
  handle: () => `0x${'00'.repeat(20)}`,
});
