import { flag, integer, oneOf, optional } from '../domains.mjs';
import {
  address,
  atBlock,
  atNumber,
  block,
  blockFieldGenes,
  blockFieldsOf,
  blockOf,
  byAddress,
  byHash,
  byKey,
  byTransaction,
  callGenes,
  callOf,
  constant,
  executes,
  filterGenes,
  filterId,
  filterOf,
  hex,
  many,
  numberOf,
  overrideGenes,
  overridesOf,
  simple,
  tracerGenes,
  tracerOf,
  without,
  word,
} from './param-genes.mjs';

const rawTransactionGenes = { kind: oneOf('', '01', '02', '03', '04', '7e', 'f9ffff'), size: integer(0, 2_400_000) };
const traceTypeGenes = { types: integer(0, 3) };

/** Expensive parameters of every method: the genes they depend on, and the parameters of call `n` of a batch. */
export const methodParams = {
  eth_getBlockByHash: simple({ full: flag }, ({ full }, { sample }) => [sample.head, full]),
  eth_getBlockByNumber: simple({ ...block, full: flag }, (genes) => [numberOf(genes), genes.full]),
  eth_getHeaderByHash: byHash(),
  eth_getHeaderByNumber: atNumber(),
  eth_getBlockTransactionCountByHash: byHash(),
  eth_getBlockTransactionCountByNumber: atNumber(),
  eth_getUncleByBlockHashAndIndex: byHash('0x0'),
  eth_getUncleByBlockNumberAndIndex: atNumber('0x0'),
  eth_getUncleCountByBlockHash: byHash(),
  eth_getUncleCountByBlockNumber: atNumber(),
  eth_getTransactionByHash: byTransaction,
  eth_getTransactionByBlockHashAndIndex: byHash('0x0'),
  eth_getTransactionByBlockNumberAndIndex: atNumber('0x0'),
  eth_getTransactionBySenderAndNonce: simple({ nonce: integer(0, 2 ** 48) }, ({ nonce }, { sample }) => [
    sample.accounts.alice,
    hex(nonce),
  ]),
  eth_getRawTransactionByHash: byTransaction,
  eth_getRawTransactionByBlockHashAndIndex: byHash('0x0'),
  eth_getRawTransactionByBlockNumberAndIndex: atNumber('0x0'),
  eth_getTransactionReceipt: byTransaction,
  eth_getBlockReceipts: atBlock,
  eth_getLogs: simple(filterGenes, (genes, world) => [filterOf(genes, world)]),
  cairn_getLogs: simple(filterGenes, (genes, world) => [filterOf(genes, world)]),
  eth_subscribe: simple(
    {
      ...filterGenes,
      kind: oneOf('newHeads', 'logs', 'logs', 'logs', 'transactionReceipts', 'syncing', 'newPendingTransactions'),
      hashes: integer(0, 70_000),
    },
    (genes, world) => [
      genes.kind,
      genes.kind === 'logs'
        ? filterOf(genes, world)
        : genes.kind === 'transactionReceipts'
          ? { transactionHashes: many(genes.hashes, word) }
          : undefined,
    ],
  ),
  eth_unsubscribe: filterId,
  cairn_resume: simple({ bytes: integer(0, 600) }, ({ bytes }, { sample }) => [
    `0x11${'00'.repeat(7)}${'c0'.repeat(bytes)}`,
    { number: '0x1', hash: sample.head },
  ]),
  eth_newFilter: simple(filterGenes, (genes, world) => [filterOf(genes, world)]),
  eth_newBlockFilter: constant(),
  eth_newPendingTransactionFilter: constant(true),
  eth_getFilterChanges: filterId,
  eth_getFilterLogs: filterId,
  eth_uninstallFilter: filterId,
  eth_getAccount: byAddress,
  eth_getBalance: byAddress,
  eth_getCode: byAddress,
  eth_getProof: simple({ ...block, own: flag, slots: integer(0, 1_100), spread: flag }, (genes, world, n) => [
    genes.own ? world.sample.contracts.Token.address : address(n + 1),
    many(genes.slots, (index) => word(genes.spread ? BigInt(index) << 240n : index + n)),
    blockOf(genes, world),
  ]),
  eth_getStorageAt: simple({ ...block, slot: integer(0, 2 ** 48) }, (genes, world, n) => [
    world.sample.contracts.Token.address,
    word(genes.slot + n),
    blockOf(genes, world),
  ]),
  eth_getStorageValues: simple(
    { ...block, addresses: integer(1, 1_100), slots: integer(0, 1_100) },
    (genes, world, n) => [
      byKey(genes.addresses, address, () => many(genes.slots / genes.addresses, (index) => word(index + n))),
      blockOf(genes, world),
    ],
  ),
  eth_getTransactionCount: byAddress,
  eth_call: executes((genes) => [blockFieldsOf(genes)]),
  cairn_call: executes((genes) => [blockFieldsOf(genes)]),
  eth_estimateGas: executes((genes) => [blockFieldsOf(genes)]),
  eth_createAccessList: executes(),
  eth_fillTransaction: simple(callGenes, (genes, world, n) => [callOf(genes, world, n)]),
  eth_simulateV1: simple(
    {
      ...block,
      ...callGenes,
      ...overrideGenes,
      ...blockFieldGenes,
      blocks: integer(0, 260),
      calls: integer(0, 5_000),
      gap: optional(integer(0, 400), 0.3),
      validation: flag,
      traceTransfers: flag,
      returnFullTransactions: flag,
    },
    (genes, world, n) => [
      {
        blockStateCalls: many(genes.blocks, (index) =>
          without({
            calls: many(genes.calls / Math.max(1, genes.blocks), (at) =>
              callOf({ ...genes, gas: genes.gas ?? '0x186a0' }, world, at),
            ),
            stateOverrides: index === 0 ? overridesOf(genes, n) : undefined,
            blockOverrides:
              index === 0 ? blockFieldsOf(genes) : genes.gap && { number: hex(25 + index * (genes.gap + 1)) },
          }),
        ),
        validation: genes.validation,
        traceTransfers: genes.traceTransfers,
        returnFullTransactions: genes.returnFullTransactions,
      },
      blockOf(genes, world),
    ],
  ),
  eth_baseFee: constant(),
  eth_blobBaseFee: constant(),
  eth_feeHistory: simple({ ...block, count: integer(0, 2_000), percentiles: integer(0, 150) }, (genes) => [
    hex(genes.count),
    numberOf(genes),
    many(genes.percentiles, (n) => Math.min(100, n * 0.9)),
  ]),
  eth_gasPrice: constant(),
  eth_maxPriorityFeePerGas: constant(),
  eth_blockNumber: constant(),
  eth_chainId: constant(),
  eth_syncing: constant(),
  eth_accounts: constant(),
  eth_capabilities: constant(),
  eth_config: constant(),
  net_version: constant(),
  net_listening: constant(),
  net_peerCount: constant(),
  web3_clientVersion: constant(),
  web3_sha3: simple({ size: integer(0, 2_500_000) }, ({ size }) => [`0x${'ab'.repeat(size)}`]),
  eth_coinbase: constant(),
  eth_hashrate: constant(),
  eth_mining: constant(),
  eth_protocolVersion: constant(),
  rpc_modules: constant(),
  'rpc.discover': constant(),
  eth_pendingTransactions: constant(),
  txpool_content: constant(),
  txpool_contentFrom: simple({}, (_, __, n) => [address(n)]),
  txpool_inspect: constant(),
  txpool_status: constant(),
  debug_executionWitness: atBlock,
  debug_getModifiedAccountsByHash: simple({}, (_, { hashes }) => [hashes.at(0), hashes.at(-1)]),
  debug_getModifiedAccountsByNumber: simple({ start: integer(0, 24), end: integer(0, 24) }, ({ start, end }) => [
    start,
    end,
  ]),
  debug_getRawBlock: atBlock,
  debug_getRawHeader: atBlock,
  debug_getRawReceipts: atBlock,
  debug_getRawTransaction: byTransaction,
  debug_storageRangeAt: simple(
    { index: integer(0, 30), limit: integer(0, 2 ** 40) },
    ({ index, limit }, { sample }) => [sample.head, index, sample.contracts.Token.address, '0x', limit],
  ),
  debug_traceBlock: simple(
    { ...tracerGenes, raw: oneOf('block', 'emptyLists', 'emptyTexts', 'nested', 'long'), size: integer(1, 2_400_000) },
    (genes, { rawBlocks }) => [rawOf(genes, rawBlocks), tracerOf(genes)],
  ),
  debug_traceBlockByHash: simple(tracerGenes, (genes, { hashes }, n) => [hashes[n % hashes.length], tracerOf(genes)]),
  debug_traceBlockByNumber: simple({ ...block, ...tracerGenes }, (genes) => [numberOf(genes), tracerOf(genes)]),
  debug_traceCall: simple(
    { ...block, ...callGenes, ...overrideGenes, ...blockFieldGenes, ...tracerGenes },
    (genes, world, n) => [
      callOf(genes, world, n),
      blockOf(genes, world),
      { ...tracerOf(genes), stateOverrides: overridesOf(genes, n), blockOverrides: blockFieldsOf(genes) },
    ],
  ),
  debug_traceTransaction: simple(tracerGenes, (genes, { transactions }, n) => [
    transactions[n % transactions.length],
    tracerOf(genes),
  ]),
  eth_sendRawTransaction: simple(rawTransactionGenes, (genes) => [rawTransactionOf(genes)]),
  eth_sendRawTransactionSync: simple({ ...rawTransactionGenes, timeout: optional(integer(0, 100_000)) }, (genes) => [
    rawTransactionOf(genes),
    genes.timeout,
  ]),
  trace_block: atNumber(),
  trace_transaction: byTransaction,
  trace_get: simple({ path: integer(0, 2_000) }, (genes, { transactions }, n) => [
    transactions[n % transactions.length],
    many(genes.path, (index) => hex(index % 3)),
  ]),
  trace_filter: simple(
    {
      from: integer(0, 24),
      to: integer(0, 24),
      addresses: integer(0, 1_100),
      after: integer(0, 20_000),
      isCounted: flag,
    },
    (genes) => [
      without({
        fromBlock: hex(genes.from),
        toBlock: hex(genes.to),
        toAddress: genes.addresses === 0 ? undefined : many(genes.addresses, address),
        after: genes.after,
        count: genes.isCounted ? 1 : undefined,
      }),
    ],
  ),
  trace_replayBlockTransactions: simple({ ...block, ...traceTypeGenes }, (genes) => [
    numberOf(genes),
    traceTypesOf(genes),
  ]),
  trace_replayTransaction: simple(traceTypeGenes, (genes, { transactions }, n) => [
    transactions[n % transactions.length],
    traceTypesOf(genes),
  ]),
  trace_call: simple(
    { ...block, ...callGenes, ...overrideGenes, ...blockFieldGenes, ...traceTypeGenes },
    (genes, world, n) => [
      callOf(genes, world, n),
      traceTypesOf(genes),
      blockOf(genes, world),
      overridesOf(genes, n),
      blockFieldsOf(genes),
    ],
  ),
  trace_callMany: simple({ ...block, ...callGenes, ...traceTypeGenes, calls: integer(0, 500) }, (genes, world) => [
    many(genes.calls, (index) => [callOf(genes, world, index), traceTypesOf(genes)]),
    blockOf(genes, world),
  ]),
  trace_rawTransaction: simple({ ...rawTransactionGenes, ...traceTypeGenes }, (genes) => [
    rawTransactionOf(genes),
    traceTypesOf(genes),
  ]),
};

/** Encoded transactions that no key of these accounts may send: they cost at most their decoding. */
function rawTransactionOf({ kind, size }) {
  return `0x${kind}${'c0'.repeat(size)}`;
}

function traceTypesOf({ types }) {
  return ['trace', 'stateDiff', 'vmTrace'].slice(0, types);
}

/** Invalid encoded blocks of about `size` bytes. */
function rawOf({ raw, size }, rawBlocks) {
  const head = (first, length) => `${(first + 3).toString(16)}${length.toString(16).padStart(6, '0')}`;
  if (raw === 'emptyLists') return `0x${head(0xf7, size)}${'c0'.repeat(size)}`;
  if (raw === 'emptyTexts') return `0x${head(0xf7, size)}${'80'.repeat(size)}`;
  if (raw === 'long') return `0x${head(0xf7, size + 4)}${head(0xb7, size)}${'ab'.repeat(size)}`;
  if (raw === 'nested') {
    let text = '';
    for (let left = Math.min(size, 200_000), inner = 0; left > 4; left -= 4, inner += 4)
      text = head(0xf7, inner) + text;
    return `0x${text}`;
  }
  return rawBlocks[size % rawBlocks.length];
}
