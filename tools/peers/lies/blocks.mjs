// Lies about blocks, ancestors, transactions and heads.
import { flipped } from './state.mjs';

const byHash = ['eth_getBlockByHash'];
const byNumber = ['eth_getBlockByNumber'];
const both = [...byHash, ...byNumber];
const zeros = (bytes) => `0x${'00'.repeat(bytes)}`;
const address = `0x${'ee'.repeat(20)}`;

/** Changes a block; the newest block is left, since head lies are others. */
const ofBlock = (change) => (result, call) => {
  if (result === null || typeof result !== 'object' || isTag(call)) return result;
  return { ...result, ...change(result, call) };
};
const isTag = ({ params }) => typeof params[0] === 'string' && !params[0].startsWith('0x');
/** Changes the transaction objects of a full block. */
const ofTransactions = (change) =>
  ofBlock((block) => (typeof block.transactions?.[0] === 'object' ? { transactions: change(block.transactions) } : {}));
const first = (list, change) => [{ ...list[0], ...change }, ...list.slice(1)];

/** JSON text of nested lists. JSON.stringify cannot write them. */
const nested = (depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

export const blockLies = [
  { name: 'forged timestamp', methods: byHash, result: ofBlock(() => ({ timestamp: '0x1' })) },
  { name: 'forged state root', methods: byHash, result: ofBlock(() => ({ stateRoot: zeros(32) })) },
  {
    name: 'forged parent',
    methods: byHash,
    result: ofBlock(({ parentHash }) => ({ parentHash: flipped(parentHash) })),
  },
  { name: 'forged receipts root', methods: byHash, result: ofBlock(() => ({ receiptsRoot: zeros(32) })) },
  { name: 'forged gas', methods: byHash, result: ofBlock(() => ({ gasUsed: '0x1' })) },
  { name: 'empty bloom', methods: byHash, result: ofBlock(() => ({ logsBloom: zeros(256), difficulty: '0x1' })) },
  {
    name: 'forged hash beside a right header',
    methods: byHash,
    isProvable: false,
    result: ofBlock(() => ({ hash: zeros(32) })),
  },
  {
    name: 'another block of the chain',
    methods: byHash,
    result: (result, call, memory) => memory.other(call) ?? ofBlock(() => ({ number: '0x1' }))(result, call),
  },
  {
    name: 'withheld block',
    methods: byHash,
    isProvable: false,
    result: (result, call) => (isTag(call) ? result : null),
  },
  { name: 'block without fields', methods: byHash, result: (result, call) => (isTag(call) ? result : {}) },
  { name: 'block without one field', methods: byHash, result: ofBlock(() => ({ mixHash: undefined })) },
  { name: 'block is a list', methods: byHash, result: (result, call) => (isTag(call) ? result : [result]) },
  { name: 'block is a number', methods: byHash, result: (result, call) => (isTag(call) ? result : 7) },
  {
    name: 'further fields and prototype keys',
    methods: both,
    isProvable: false,
    result: (result) =>
      result === null
        ? null
        : JSON.parse(
            JSON.stringify(result).replace('{', '{"__proto__":{"number":"0x1"},"constructor":1,"toString":"x",'),
          ),
  },
  { name: 'negative quantity', methods: byHash, result: ofBlock(() => ({ number: '-0x1' })) },
  { name: 'quantity NaN', methods: byHash, result: ofBlock(() => ({ gasLimit: 'NaN' })) },
  { name: 'quantity as a number', methods: byHash, result: ofBlock(() => ({ gasLimit: 30_000_000 })) },
  {
    name: 'quantity of 100,000 digits',
    methods: byHash,
    result: ofBlock(() => ({ difficulty: `0x${'9'.repeat(100_000)}` })),
  },
  {
    name: 'quantity with leading zeros',
    methods: byHash,
    result: ofBlock(({ timestamp }) => ({ timestamp: `0x00${timestamp.slice(2)}` })),
  },
  {
    name: 'field nested 100,000 deep',
    text: (text) => text.replaceAll(/"stateRoot":"0x[0-9a-f]+"/g, `"stateRoot":${nested(100_000)}`),
  },
  { name: 'extra data of 8 MiB', methods: byHash, result: ofBlock(() => ({ extraData: `0x${'aa'.repeat(8 << 20)}` })) },
  {
    name: 'no transactions',
    methods: byHash,
    isFull: true,
    result: ofBlock((block) => (block.transactions?.length > 0 ? { transactions: [] } : {})),
  },
  {
    name: 'transactions as hashes',
    methods: byHash,
    isFull: true,
    result: ofTransactions((list) => list.map(({ hash }) => hash)),
  },
  { name: 'omitted transaction', methods: byHash, isFull: true, result: ofTransactions((list) => list.slice(1)) },
  { name: 'repeated transaction', methods: byHash, isFull: true, result: ofTransactions((list) => [...list, list[0]]) },
  {
    name: 'reordered transactions',
    methods: byHash,
    isFull: true,
    result: ofTransactions((list) => (list.length > 1 ? list.toReversed() : [])),
  },
  {
    name: 'changed value of a transaction',
    methods: byHash,
    isFull: true,
    result: ofTransactions((list) => first(list, { value: '0x99' })),
  },
  {
    name: 'changed recipient of a transaction',
    methods: byHash,
    isFull: true,
    result: ofTransactions((list) => first(list, { to: address })),
  },
  {
    name: 'changed signature of a transaction',
    methods: byHash,
    isFull: true,
    result: ofTransactions((list) => first(list, { r: '0x2' })),
  },
  {
    name: 'forged sender beside the signature',
    methods: byHash,
    isProvable: false,
    result: ofTransactions((list) => first(list, { from: address })),
  },
  {
    name: 'transaction of an unknown type',
    methods: byHash,
    isFull: true,
    result: ofTransactions((list) => first(list, { type: '0x7f' })),
  },
  {
    name: 'transaction of a deposit',
    methods: byHash,
    isFull: true,
    result: ofTransactions((list) => first(list, { type: '0x7e', sourceHash: zeros(32), mint: '0x1' })),
  },
  { name: 'null among transactions', methods: byHash, isFull: true, result: ofTransactions((list) => [null, ...list]) },
  {
    name: 'invented withdrawal',
    methods: byHash,
    isFull: true,
    result: ofTransactionsAnd({ withdrawals: [{ index: '0x0', validatorIndex: '0x0', address, amount: '0x1' }] }),
  },
  { name: 'omitted withdrawals', methods: byHash, isFull: true, result: ofTransactionsAnd({ withdrawals: undefined }) },
  { name: 'invented uncle', methods: byHash, isFull: true, result: ofTransactionsAnd({ uncles: [zeros(32)] }) },
  {
    name: 'forged ancestors',
    methods: byNumber,
    isProvable: false,
    result: ofBlock(({ extraData }) => ({ extraData: `${extraData}ff` })),
  },
  {
    name: 'ancestors of other heights',
    methods: byNumber,
    result: ofBlock(({ number }) => ({ number: `0x${(Number(number) + 1).toString(16)}` })),
  },
  {
    name: 'ancestors that repeat one block',
    methods: byNumber,
    result: (result, call, memory) => (isTag(call) ? result : (memory.other(call) ?? {})),
  },
  {
    name: 'ancestors without blooms',
    methods: byNumber,
    isProvable: false,
    result: ofBlock(() => ({ logsBloom: zeros(256) })),
  },
  {
    name: 'withheld ancestors',
    methods: byNumber,
    isProvable: false,
    result: (result, call) => (isTag(call) ? result : null),
  },
  {
    name: 'every second ancestor withheld',
    methods: byNumber,
    isProvable: false,
    result: (result, call) => (!isTag(call) && Number(call.params[0]) % 2 === 0 ? null : result),
  },
  {
    name: 'transaction in no block',
    methods: ['eth_getTransactionByHash'],
    isProvable: false,
    withholds: true,
    result: () => null,
  },
  {
    name: 'transaction without a block hash',
    methods: ['eth_getTransactionByHash'],
    isProvable: false,
    withholds: true,
    result: (result) => result && { ...result, blockHash: null },
  },
  {
    name: 'transaction in another block',
    methods: ['eth_getTransactionByHash'],
    needsOther: true,
    result: (result, _call, memory) => result && { ...result, blockHash: memory.aHashOtherThan(result.blockHash) },
  },
  {
    name: 'transaction in an unknown block',
    methods: ['eth_getTransactionByHash'],
    isProvable: false,
    withholds: true,
    result: (result) => result && { ...result, blockHash: `0x${'12'.repeat(32)}` },
  },
  {
    name: 'block hash of a transaction is an object',
    methods: ['eth_getTransactionByHash'],
    result: (result) => result && { ...result, blockHash: { toString: 1 } },
  },
  { name: 'another chain', methods: ['eth_chainId'], result: () => '0x7b' },
  { name: 'chain id as a number', methods: ['eth_chainId'], result: () => 1 },
  { name: 'chain id of 1,000 digits', methods: ['eth_chainId'], result: () => `0x${'1'.repeat(1000)}` },
  { name: 'no chain id', methods: ['eth_chainId'], result: () => null },
  {
    name: 'stale head',
    methods: byNumber,
    isProvable: false,
    isHead: true,
    result: (result, call, memory) => (isTag(call) ? (memory.other(call) ?? result) : result),
  },
  {
    name: 'head far in the future',
    methods: byNumber,
    isProvable: false,
    isHead: true,
    result: (result, call) =>
      isTag(call) && result ? { ...result, number: '0xffffffffffffffff', hash: zeros(32) } : result,
  },
  {
    name: 'head that is no block',
    methods: byNumber,
    isHead: true,
    result: (result, call) => (isTag(call) ? 'latest' : result),
  },
  {
    name: 'no head',
    methods: byNumber,
    isHead: true,
    isProvable: false,
    result: (result, call) => (isTag(call) ? null : result),
  },
];

function ofTransactionsAnd(change) {
  return ofBlock((block) => (typeof block.transactions?.[0] === 'object' ? change : {}));
}
