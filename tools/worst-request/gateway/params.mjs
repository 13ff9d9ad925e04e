import { flag, integer, oneOf, optional } from '../domains.mjs';
import { codeOf, input, inputOf, program } from './codes.mjs';

const hex = (value) => `0x${value.toString(16)}`;
const word = (n) => `0x${n.toString(16).padStart(64, '0')}`;
const address = (n) => `0x${n.toString(16).padStart(40, '0')}`;
const many = (count, make) => Array.from({ length: count }, (_, n) => make(n));
const byKey = (count, key, value) => Object.fromEntries(many(count, (n) => [key(n), value(n)]));
const without = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/** Address of the programs. */
const target = address(0xc0de);

const block = { block: oneOf('latest', 'earliest', 'pending', '0x1', '0x10', '0x17', 'hash', 'missing') };
const blockOf = ({ block: name = 'latest' }, { sample }) =>
  name === 'hash' ? { blockHash: sample.head, requireCanonical: true } : name === 'missing' ? word(1) : name;
const numberOf = ({ block: name = 'latest' }) => (name === 'hash' || name === 'missing' ? 'latest' : name);

const callGenes = {
  program,
  size: integer(0, 1_000_000),
  input,
  inputSize: integer(0, 500_000),
  gas: optional(oneOf('0x61a8', '0x186a0', '0x2faf080', '0x11e1a300', '0xffffffffffffffff')),
  isCreation: optional(flag, 0.2),
  accessAddresses: optional(integer(0, 20_000), 0.15),
  accessSlots: optional(integer(0, 2_000), 0.15),
  blobs: optional(integer(0, 40_000), 0.1),
  authorizations: optional(integer(0, 10_000), 0.15),
  balance: optional(flag),
};
/** Calls a contract of the chain without overrides: the only call that may run on the main thread. */
const plainCallOf = ({ method, gas }, { sample }, n) => {
  const { address: to, selectors } = sample.contracts.Loops;
  const names = Object.keys(selectors);
  const data = `0x${selectors[names[method % names.length]]}${word(n).slice(2)}${word(20).slice(2)}`;
  return without({ from: sample.accounts.alice, to, gas, data });
};
const callOf = (genes, { sample }, n) =>
  without({
    from: sample.accounts.alice,
    to: genes.isCreation ? undefined : target,
    gas: genes.gas,
    data: genes.isCreation
      ? codeOf(genes.program, genes.size, n)
      : `${inputOf(genes.input, genes.inputSize)}${n > 0 ? n.toString(16).padStart(8, '0') : ''}`,
    accessList:
      genes.accessAddresses === undefined
        ? undefined
        : many(genes.accessAddresses, (index) => ({
            address: address(index + 1),
            storageKeys: many(Math.min(genes.accessSlots ?? 0, 40_000 / (genes.accessAddresses + 1)), word),
          })),
    blobVersionedHashes:
      genes.blobs === undefined ? undefined : many(genes.blobs, (index) => `0x01${word(index).slice(4)}`),
    authorizationList:
      genes.authorizations === undefined
        ? undefined
        : many(genes.authorizations, (index) => ({
            chainId: '0x0',
            address: address(index),
            nonce: hex(index),
            yParity: '0x1',
            r: word(index + 1),
            s: word(index + 1),
          })),
  });

const overrideGenes = {
  accounts: optional(integer(1, 40_000), 0.2),
  slots: optional(integer(1, 40_000), 0.2),
  isWholeState: flag,
  code2: optional(integer(0, 2_000_000), 0.15),
  moves: optional(flag, 0.1),
};
const overridesOf = (genes, n = 0) => ({
  ...byKey(
    genes.accounts ?? 0,
    (index) => address(index + 1),
    () => ({ balance: '0x1', nonce: '0x5' }),
  ),
  ...(genes.code2 && { [address(0xc0df)]: { code: codeOf('pushes', genes.code2, n) } }),
  ...(genes.moves && { [address(2)]: { movePrecompileToAddress: address(0xbeef) } }),
  [target]: without({
    code: codeOf(genes.program, genes.size, n),
    [genes.isWholeState ? 'state' : 'stateDiff']:
      genes.slots === undefined ? undefined : byKey(genes.slots, word, word),
  }),
});

const blockFieldGenes = {
  gasLimit: optional(oneOf('0x0', '0x1c9c380', '0xffffffffffffffff'), 0.2),
  time: optional(oneOf('0x0', '0x7fffffff', '0xffffffffffffffff'), 0.1),
  withdrawals: optional(integer(0, 20_000), 0.1),
};
const blockFieldsOf = (genes) =>
  without({
    gasLimit: genes.gasLimit,
    time: genes.time,
    withdrawals:
      genes.withdrawals === undefined
        ? undefined
        : many(genes.withdrawals, (n) => ({
            index: hex(n),
            validatorIndex: '0x1',
            address: address(n),
            amount: '0x1',
          })),
  });

const executes = (rest = () => []) => ({
  genes: { ...block, ...callGenes, ...overrideGenes, ...blockFieldGenes, isPlain: flag, method: integer(0, 10) },
  params: (genes, world, n) =>
    genes.isPlain
      ? [plainCallOf(genes, world, n), blockOf(genes, world)]
      : [callOf(genes, world, n), blockOf(genes, world), overridesOf(genes, n), ...rest(genes)],
});

const tracerGenes = {
  tracer: optional(
    oneOf(
      'callTracer',
      'prestateTracer',
      '4byteTracer',
      'flatCallTracer',
      'muxTracer',
      'noopTracer',
      'keccak256PreimageTracer',
      'erc7562Tracer',
      '{}',
    ),
    0.7,
  ),
  tracerConfig: oneOf(
    {},
    { diffMode: true },
    { withLog: true },
    { withLog: true, onlyTopCall: false },
    { callTracer: {}, prestateTracer: { diffMode: true }, '4byteTracer': {} },
  ),
  enableMemory: flag,
  enableReturnData: flag,
  timeout: optional(oneOf('1ms', '100h', '5s'), 0.2),
  limit: optional(integer(0, 1_000_000), 0.2),
};
const tracerOf = ({ tracer, tracerConfig, enableMemory, enableReturnData, timeout, limit }) =>
  without({ tracer, tracerConfig, enableMemory, enableReturnData, timeout, limit });

const filterGenes = {
  fromBlock: oneOf('earliest', '0x0', '0x1', 'latest', '0xffff'),
  toBlock: oneOf('latest', '0x17', '0xffff', 'pending'),
  addresses: optional(integer(0, 100_000), 0.3),
  topics: optional(integer(0, 60_000), 0.3),
  topicLists: integer(0, 5),
};
const filterOf = (genes, { sample }) =>
  without({
    fromBlock: genes.fromBlock,
    toBlock: genes.toBlock,
    address:
      genes.addresses === undefined ? undefined : [sample.contracts.Token.address, ...many(genes.addresses, address)],
    topics:
      genes.topics === undefined
        ? undefined
        : many(genes.topicLists, () => many(genes.topics / Math.max(1, genes.topicLists), word)),
  });

const simple = (genes, params) => ({ genes, params });
const constant = (...params) => simple({}, () => params);
const atBlock = simple(block, (genes, world) => [blockOf(genes, world)]);
const atNumber = (...rest) => simple(block, (genes) => [numberOf(genes), ...rest]);
const byHash = (...rest) => simple({}, (_, { sample }) => [sample.head, ...rest]);
const byTransaction = simple({}, (_, { transactions }, n) => [transactions[n % transactions.length]]);
const byAddress = simple({ ...block, own: flag }, (genes, world, n) => [
  genes.own ? world.sample.contracts.Token.address : address(n + 1),
  blockOf(genes, world),
]);
const filterId = simple({}, () => [word(1)]);

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
};

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
