import { type Hex, stringToHex, toRlp } from 'viem';
import { sample } from './sample-network.ts';

const { Token, Loops } = sample.contracts;
const { alice } = sample.accounts;
const zero = `0x${'00'.repeat(32)}`;
const totalSupply = { from: alice, to: Token.address, data: '0x18160ddd' };
const elsewhere = { ...totalSupply, to: Loops.address };
/** Code that runs as the Token and reads the code of the other contract. */
const prober = { [Token.address]: { code: `0x60205f5f73${Loops.address.slice(2)}3c60205ff3` } };
const reader = { [Loops.address]: { stateDiff: { [zero]: zero } } };

/** Blocks and transactions that the requests name. */
export interface Places {
  /** A transaction to the Token. */
  readonly inside: Place;
  /** A transaction that calls or creates another contract. */
  readonly outside: Place;
  /** The encoded block of the transaction `inside`. */
  readonly rawBlock: string;
  /** The encoded transactions. */
  readonly raw: Readonly<Record<'inside' | 'outside', unknown>>;
}

export interface Place {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly transactionIndex: string;
  /** The encoded transaction. */
  readonly raw: string;
}

export interface Requests {
  /** Parameters that a key limited to the Token allows. */
  readonly open: readonly (readonly unknown[])[];
  /** Parameters that show other contracts. */
  readonly refused: readonly (readonly unknown[])[];
}

const open = (...params: readonly unknown[]): Requests => ({ open: [params], refused: [] });
const refused = (...params: readonly unknown[]): Requests => ({ open: [], refused: [params] });
const both = (inside: readonly unknown[], ...outside: readonly (readonly unknown[])[]): Requests => ({
  open: [inside],
  refused: outside,
});

/** Ids of subscriptions, as eth_subscribe returns them. */
const headsId = `0x11${'00'.repeat(7)}${toRlp([stringToHex('newHeads')]).slice(2)}`;
const logsId = (addresses: readonly Hex[]) =>
  `0x11${'00'.repeat(7)}${toRlp([stringToHex('logs'), [stringToHex('latest'), stringToHex('latest')], addresses, []]).slice(2)}`;

/** Requests for every method of the gateway. The sets of names are compared with rpc.discover. */
export function methodRequests({ inside, outside, rawBlock, raw }: Places): Readonly<Record<string, Requests>> {
  const byAddress = (...rest: readonly unknown[]) => both([Token.address, ...rest], [Loops.address, ...rest]);
  const byHash = both([inside.hash], [outside.hash]);
  const atPlace = (name: 'blockHash' | 'blockNumber') =>
    both([inside[name], inside.transactionIndex], [outside[name], outside.transactionIndex]);
  const message = (...rest: readonly unknown[]) =>
    both(
      [totalSupply, 'latest', ...rest],
      [elsewhere, 'latest', ...rest],
      [{ from: alice, data: '0x00' }, 'latest', ...rest],
      [{ ...totalSupply, from: Loops.address }, 'latest', ...rest],
    );
  const overridden = ({ open, refused }: Requests): Requests => ({
    open: [...open, [totalSupply, 'latest', { [alice]: { balance: '0x1' } }]],
    refused: [...refused, [totalSupply, 'latest', prober], [totalSupply, 'latest', reader]],
  });
  const simulation = (call: object, stateOverrides = {}) => [{ blockStateCalls: [{ calls: [call], stateOverrides }] }];
  const filter = both([{ address: Token.address }], [{}], [{ address: [Token.address, Loops.address] }]);
  const noFilter = `0x${'11'.repeat(16)}`;
  return {
    ...chainRequests,
    eth_getBlockByHash: both([inside.blockHash, false], [inside.blockHash, true]),
    eth_getBlockByNumber: both(['latest', false], ['latest', true]),
    eth_getHeaderByHash: open(inside.blockHash),
    eth_getHeaderByNumber: open('latest'),
    eth_getBlockTransactionCountByHash: open(inside.blockHash),
    eth_getBlockTransactionCountByNumber: open('latest'),
    eth_getUncleByBlockHashAndIndex: open(inside.blockHash, '0x0'),
    eth_getUncleByBlockNumberAndIndex: open('latest', '0x0'),
    eth_getUncleCountByBlockHash: open(inside.blockHash),
    eth_getUncleCountByBlockNumber: open('latest'),
    eth_getTransactionByHash: byHash,
    eth_getTransactionReceipt: byHash,
    // The sample network has no upstreams: an allowed request gets -32601.
    eth_sendRawTransaction: both([inside.raw], [outside.raw]),
    eth_sendRawTransactionSync: refused(inside.raw),
    eth_getRawTransactionByHash: byHash,
    eth_getTransactionByBlockHashAndIndex: atPlace('blockHash'),
    eth_getTransactionByBlockNumberAndIndex: atPlace('blockNumber'),
    eth_getRawTransactionByBlockHashAndIndex: atPlace('blockHash'),
    eth_getRawTransactionByBlockNumberAndIndex: atPlace('blockNumber'),
    eth_getTransactionBySenderAndNonce: both([inside.from, inside.nonce], [outside.from, outside.nonce]),
    eth_getBlockReceipts: refused('latest'),
    eth_getLogs: filter,
    cairn_getLogs: refused({ address: Token.address }),
    eth_newFilter: filter,
    eth_subscribe: {
      open: [['newHeads'], ['syncing'], ['newPendingTransactions'], ['logs', { address: Token.address }]],
      refused: [['logs', {}], ['logs', { address: Loops.address }], ['transactionReceipts']],
    },
    eth_unsubscribe: open(noFilter),
    cairn_resume: {
      open: [
        [headsId, inside],
        [logsId([Token.address]), inside],
      ],
      refused: [
        [logsId([]), inside],
        [logsId([Token.address, Loops.address]), inside],
      ],
    },
    eth_newBlockFilter: open(),
    eth_newPendingTransactionFilter: both([], [true]),
    eth_getFilterChanges: open(noFilter),
    eth_getFilterLogs: open(noFilter),
    eth_uninstallFilter: open(noFilter),
    eth_getAccount: byAddress('latest'),
    eth_getBalance: { open: [[Token.address], [alice]], refused: [[Loops.address]] },
    eth_getTransactionCount: { open: [[Token.address], [alice]], refused: [[Loops.address]] },
    eth_getCode: byAddress('latest'),
    eth_getProof: byAddress([], 'latest'),
    eth_getStorageAt: byAddress('0x0', 'latest'),
    eth_getStorageValues: both(
      [{ [Token.address]: [zero] }],
      [{ [Loops.address]: [zero] }],
      [{ [Token.address]: [zero], [Loops.address]: [zero] }],
    ),
    eth_call: overridden(message()),
    cairn_call: overridden(message()),
    eth_estimateGas: overridden(message()),
    eth_createAccessList: overridden(message()),
    eth_fillTransaction: both(
      [totalSupply],
      [elsewhere],
      [{ ...totalSupply, from: Loops.address, gas: '0xffff' }],
      [{ from: alice, data: '0x00' }],
    ),
    eth_simulateV1: both(
      simulation(totalSupply, { [alice]: { balance: '0x1' } }),
      simulation(elsewhere),
      simulation(totalSupply, prober),
      simulation(totalSupply, reader),
    ),
    debug_traceCall: both(
      [totalSupply, 'latest', { tracer: 'callTracer' }],
      [elsewhere, 'latest'],
      [totalSupply, 'latest', { stateOverrides: prober }],
      [{ ...totalSupply, from: Loops.address }, 'latest'],
    ),
    debug_executionWitness: refused('latest'),
    debug_getModifiedAccountsByHash: refused(inside.blockHash),
    debug_getModifiedAccountsByNumber: refused(1),
    debug_getRawBlock: refused('latest'),
    debug_getRawHeader: open('latest'),
    debug_getRawReceipts: refused('latest'),
    debug_getRawTransaction: refused(inside.hash),
    debug_storageRangeAt: both(
      [inside.blockHash, 0, Token.address, '0x', 10],
      [inside.blockHash, 0, Loops.address, '0x', 10],
    ),
    debug_traceBlock: refused(rawBlock),
    debug_traceBlockByHash: refused(inside.blockHash),
    debug_traceBlockByNumber: refused(inside.blockNumber),
    debug_traceTransaction: refused(inside.hash),
    trace_block: refused('latest'),
    trace_transaction: refused(inside.hash),
    trace_get: refused(inside.hash, []),
    trace_filter: refused({ toAddress: [Token.address] }),
    trace_replayBlockTransactions: refused('latest', ['trace']),
    trace_replayTransaction: refused(inside.hash, ['trace']),
    trace_call: both(
      [totalSupply, ['trace', 'stateDiff', 'vmTrace']],
      [elsewhere, ['trace']],
      [totalSupply, ['trace'], 'latest', prober],
      [totalSupply, ['trace'], 'latest', reader],
      [{ ...totalSupply, from: Loops.address }, ['trace']],
    ),
    trace_callMany: both(
      [[[totalSupply, ['trace']]]],
      [[[elsewhere, ['trace']]]],
      [
        [
          [totalSupply, ['trace']],
          [elsewhere, ['trace']],
        ],
      ],
      [[[totalSupply, ['trace']]], 'latest', prober],
    ),
    trace_rawTransaction: both([raw.inside, ['trace']], [raw.outside, ['trace']]),
  };
}

/** Data of the chain, the gateway and the transaction pool. */
const chainRequests: Readonly<Record<string, Requests>> = {
  eth_blockNumber: open(),
  eth_chainId: open(),
  eth_syncing: open(),
  eth_accounts: open(),
  eth_capabilities: open(),
  eth_config: open(),
  net_version: open(),
  net_listening: open(),
  net_peerCount: open(),
  web3_clientVersion: open(),
  web3_sha3: open('0x'),
  eth_coinbase: open(),
  eth_hashrate: open(),
  eth_mining: open(),
  eth_protocolVersion: open(),
  rpc_modules: open(),
  'rpc.discover': open(),
  eth_baseFee: open(),
  eth_blobBaseFee: open(),
  eth_feeHistory: open('0x2', 'latest', []),
  eth_gasPrice: open(),
  eth_maxPriorityFeePerGas: open(),
  eth_pendingTransactions: refused(),
  txpool_status: open(),
  txpool_content: refused(),
  txpool_contentFrom: refused(alice),
  txpool_inspect: refused(),
};
