import type { JsonSchema } from '@cairn/jsonrpc-core';

/**
 * JSON schemas of parameters, for the OpenRPC document (https://spec.open-rpc.org) and what is generated from it. They describe the
 * usual forms; parsers accept what geth accepts. Names follow https://github.com/ethereum/execution-apis.
 */
const hash = { title: 'Hash', type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' };
const address = { title: 'Address', type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const quantity = { title: 'Quantity', type: 'string', pattern: '^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$' };
const bytes = { title: 'Bytes', type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' };
const tag = { title: 'BlockTag', type: 'string', enum: ['latest', 'earliest', 'pending', 'safe', 'finalized'] };
const blockNumber = { title: 'BlockNumberOrTag', oneOf: [tag, quantity] };
const block = {
  title: 'BlockReference',
  oneOf: [
    tag,
    quantity,
    hash,
    {
      type: 'object',
      properties: { blockHash: hash, blockNumber: quantity, requireCanonical: { type: 'boolean' } },
    },
  ],
};

const call = {
  title: 'Call',
  type: 'object',
  properties: {
    from: address,
    to: address,
    data: bytes,
    gas: quantity,
    value: quantity,
    gasPrice: quantity,
    maxFeePerGas: quantity,
    maxPriorityFeePerGas: quantity,
    nonce: quantity,
    accessList: {
      type: 'array',
      items: { type: 'object', properties: { address, storageKeys: { type: 'array', items: hash } } },
    },
  },
};

const addresses = { oneOf: [address, { type: 'array', items: address }] };
const topics = {
  type: 'array',
  maxItems: 4,
  items: { oneOf: [{ type: 'null' }, hash, { type: 'array', items: hash }] },
};
const eventFields = { address: addresses, topics };
const logFilter = {
  title: 'LogFilter',
  type: 'object',
  properties: { ...eventFields, fromBlock: blockNumber, toBlock: blockNumber },
};
const logQuery = {
  title: 'LogQuery',
  type: 'object',
  properties: { ...eventFields, fromBlock: blockNumber, toBlock: blockNumber, blockHash: hash },
};

const kinds = ['newHeads', 'logs', 'transactionReceipts', 'syncing', 'newPendingTransactions'];
const traceTypes = {
  title: 'TraceTypes',
  type: 'array',
  items: { type: 'string', enum: ['trace', 'stateDiff', 'vmTrace'] },
};
const stateOverrides = { title: 'StateOverrides', type: 'object', additionalProperties: { type: 'object' } };
const blockOverrides = { title: 'BlockOverrides', type: 'object' };

/** Schemas by name. */
export const paramSchemas = {
  hash,
  address,
  quantity,
  bytes,
  blockNumber,
  block,
  call,
  logFilter,
  logQuery,
  traceTypes,
  stateOverrides,
  blockOverrides,
  flag: { type: 'boolean' },
  count: { type: 'integer', minimum: 0 },
  text: { type: 'string' },
  object: { type: 'object' },
  list: { type: 'array' },
  subscriptionKind: { title: 'SubscriptionKind', type: 'string', enum: kinds },
  subscriptionFilter: { oneOf: [{ type: 'object', properties: eventFields }, { type: 'boolean' }] },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** Schema of the options of a trace. @param tracers names of the tracers */
export function traceOptionsSchema(tracers: readonly string[]): JsonSchema {
  return {
    title: 'TraceOptions',
    type: 'object',
    properties: {
      tracer: { type: 'string', enum: tracers },
      tracerConfig: { type: 'object' },
      timeout: { type: 'string' },
      enableMemory: { type: 'boolean' },
      enableReturnData: { type: 'boolean' },
      disableStack: { type: 'boolean' },
      disableStorage: { type: 'boolean' },
      limit: { type: 'integer', minimum: 0 },
    },
  };
}
