import { flag, integer, oneOf, optional } from '../domains.mjs';
import { codeOf, input, inputOf, program } from './codes.mjs';

export const hex = (value) => `0x${value.toString(16)}`;
export const word = (n) => `0x${n.toString(16).padStart(64, '0')}`;
export const address = (n) => `0x${n.toString(16).padStart(40, '0')}`;
export const many = (count, make) => Array.from({ length: count }, (_, n) => make(n));
export const byKey = (count, key, value) => Object.fromEntries(many(count, (n) => [key(n), value(n)]));
export const without = (object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/** Address of the programs. */
const target = address(0xc0de);

export const block = { block: oneOf('latest', 'earliest', 'pending', '0x1', '0x10', '0x17', 'hash', 'missing') };
export const blockOf = ({ block: name = 'latest' }, { sample }) =>
  name === 'hash' ? { blockHash: sample.head, requireCanonical: true } : name === 'missing' ? word(1) : name;
export const numberOf = ({ block: name = 'latest' }) => (name === 'hash' || name === 'missing' ? 'latest' : name);

export const callGenes = {
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
export const callOf = (genes, { sample }, n) =>
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

export const overrideGenes = {
  accounts: optional(integer(1, 40_000), 0.2),
  slots: optional(integer(1, 40_000), 0.2),
  isWholeState: flag,
  code2: optional(integer(0, 2_000_000), 0.15),
  moves: optional(flag, 0.1),
};
export const overridesOf = (genes, n = 0) => ({
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

export const blockFieldGenes = {
  gasLimit: optional(oneOf('0x0', '0x1c9c380', '0xffffffffffffffff'), 0.2),
  time: optional(oneOf('0x0', '0x7fffffff', '0xffffffffffffffff'), 0.1),
  withdrawals: optional(integer(0, 20_000), 0.1),
};
export const blockFieldsOf = (genes) =>
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

export const executes = (rest = () => []) => ({
  genes: { ...block, ...callGenes, ...overrideGenes, ...blockFieldGenes, isPlain: flag, method: integer(0, 10) },
  params: (genes, world, n) =>
    genes.isPlain
      ? [plainCallOf(genes, world, n), blockOf(genes, world)]
      : [callOf(genes, world, n), blockOf(genes, world), overridesOf(genes, n), ...rest(genes)],
});

export const tracerGenes = {
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
export const tracerOf = ({ tracer, tracerConfig, enableMemory, enableReturnData, timeout, limit }) =>
  without({ tracer, tracerConfig, enableMemory, enableReturnData, timeout, limit });

export const filterGenes = {
  fromBlock: oneOf('earliest', '0x0', '0x1', 'latest', '0xffff'),
  toBlock: oneOf('latest', '0x17', '0xffff', 'pending'),
  addresses: optional(integer(0, 100_000), 0.3),
  topics: optional(integer(0, 60_000), 0.3),
  topicLists: integer(0, 5),
};
export const filterOf = (genes, { sample }) =>
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

export const simple = (genes, params) => ({ genes, params });
export const constant = (...params) => simple({}, () => params);
export const atBlock = simple(block, (genes, world) => [blockOf(genes, world)]);
export const atNumber = (...rest) => simple(block, (genes) => [numberOf(genes), ...rest]);
export const byHash = (...rest) => simple({}, (_, { sample }) => [sample.head, ...rest]);
export const byTransaction = simple({}, (_, { transactions }, n) => [transactions[n % transactions.length]]);
export const byAddress = simple({ ...block, own: flag }, (genes, world, n) => [
  genes.own ? world.sample.contracts.Token.address : address(n + 1),
  blockOf(genes, world),
]);
export const filterId = simple({}, () => [word(1)]);
