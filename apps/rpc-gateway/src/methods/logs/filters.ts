import { requireAllContracts } from '@cairn/auth';
import { cannotUnmarshal, InvalidValueError, jsonKind } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import type { FilterTopic } from '../../subscriptions/filter-events.ts';
import type { FilterRegistry } from '../../subscriptions/filter-registry.ts';
import { requireFollowable } from '../../subscriptions/topic.ts';
import { define } from '../define.ts';
import { contractsOfFilter, requireNamed } from '../reveals.ts';
import { findLogs } from './eth-get-logs.ts';
import { parseLogFilter } from './log-filter.ts';
import { parseSubscriptionId } from './subscription-id.ts';

const idParam = {
  name: 'id',
  summary: 'the filter id that eth_newFilter or a similar method returned.',
  schema: paramSchemas.quantity,
  parse: parseSubscriptionId,
};
const lifetime =
  'The filter expires after 5 minutes without eth_getFilterChanges, and without Redis when the gateway process ends.';
const creation = { result: 'The id of the filter.', errors: ['limit'], cost: 10 } as const;

export const ethNewFilter = (filters: FilterRegistry) =>
  define({
    name: 'eth_newFilter',
    summary: `Creates a filter for new logs, which eth_getFilterChanges returns. ${lifetime}`,
    params: [
      {
        name: 'filter',
        summary: 'an object with address, topics, fromBlock and toBlock.',
        schema: paramSchemas.logFilter,
        parse: parseLogFilter,
      },
    ],
    ...creation,
    reveals: { contracts: ([filter]) => contractsOfFilter(filter) },
    handle([filter], context) {
      requireFollowable(filter);
      return filters.of(context).add({ kind: 'logs', filter });
    },
  });

export const ethNewBlockFilter = (filters: FilterRegistry) =>
  define({
    name: 'eth_newBlockFilter',
    summary: `Creates a filter for new blocks, whose hashes eth_getFilterChanges returns. ${lifetime}`,
    params: [],
    ...creation,
    reveals: 'nothing',
    handle: (_, context) => filters.of(context).add({ kind: 'blocks' }),
  });

export const ethNewPendingTransactionFilter = (filters: FilterRegistry) =>
  define({
    name: 'eth_newPendingTransactionFilter',
    summary: `Creates a filter for pending transactions: those that this process sends, and those that upstreams with a WebSocket report. eth_getFilterChanges returns their hashes. ${lifetime}`,
    params: [
      {
        name: 'full',
        summary: 'true for transaction objects, whose hashes are verified.',
        schema: paramSchemas.flag,
        isRequired: false,
        parse(field, value): boolean {
          if (typeof value === 'boolean') return value;
          throw new InvalidValueError(field, 'true or false', value, cannotUnmarshal(jsonKind(value), 'bool'));
        },
      },
    ],
    ...creation,
    reveals: {
      contracts: ([isFull]) => (isFull === true ? 'anything' : []),
      note: 'allowed for hashes; transaction objects are refused.',
    },
    handle: ([isFull = false], context) => filters.of(context).add({ kind: 'pendingTransactions', isFull }),
  });

export const ethGetFilterChanges = (filters: FilterRegistry) =>
  define({
    name: 'eth_getFilterChanges',
    summary:
      'Returns the events of a filter since the last request. One request reads up to 1,024 blocks and ends with the block of the 10,000th event; the next request returns the rest.',
    params: [idParam],
    result:
      'A list of block hashes, of logs or of pending transactions. Logs of blocks that a reorg removed are returned again with `removed`.',
    errors: ['server'],
    cost: 20,
    reveals: 'filter',
    async handle([id], context) {
      await requireFilter(filters, id, context);
      const changes = await filters.of(context).changes(id, context.signal);
      if (changes === undefined) throw notFound();
      return changes;
    },
  });

export const ethGetFilterLogs = (filters: FilterRegistry) =>
  define({
    name: 'eth_getFilterLogs',
    summary: 'Returns all logs of a filter, like eth_getLogs.',
    params: [idParam],
    result: 'A list of logs.',
    errors: ['limit', 'server'],
    cost: 75,
    reveals: 'filter',
    async handle([id], context) {
      const topic = await requireFilter(filters, id, context);
      if (topic.kind !== 'logs') throw notFound();
      return await findLogs(topic.filter, context);
    },
  });

export const ethUninstallFilter = (filters: FilterRegistry) =>
  define({
    name: 'eth_uninstallFilter',
    summary: 'Removes a filter.',
    params: [idParam],
    result: 'true, or false if there is no such filter.',
    reveals: 'nothing',
    handle: ([id], context) => filters.of(context).remove(id),
  });

async function requireFilter(filters: FilterRegistry, id: string, context: RequestContext): Promise<FilterTopic> {
  const topic = await filters.of(context).find(id);
  if (topic === undefined) throw notFound();
  // The limits of the key may have changed since it created the filter.
  if (topic.kind === 'logs') {
    const { policy } = context.principal.key;
    if (policy.contracts !== undefined) requireNamed(policy, 'filters', contractsOfFilter(topic.filter));
  } else if (topic.kind === 'pendingTransactions' && topic.isFull)
    requireAllContracts(context.principal.key.policy, 'filters for transaction objects');
  return topic;
}

function notFound(): RpcError {
  return new RpcError(
    'server',
    'filter not found. Create a new one: filters expire after 5 minutes without a request.',
  );
}
