import { cannotUnmarshal, InvalidValueError, jsonKind } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../../request-context.ts';
import type { Filter } from '../../subscriptions/filters.ts';
import { requireFollowable } from '../../subscriptions/topic.ts';
import { define } from '../define.ts';
import { contractsOfFilter, requireNamed } from '../reveals.ts';
import { findLogs } from './eth-get-logs.ts';
import { parseLogFilter } from './log-filter.ts';
import { parseSubscriptionId } from './subscription-id.ts';

const idParam = {
  name: 'id',
  summary: 'the id that the method which made the filter returned.',
  parse: parseSubscriptionId,
};
const lifetime = 'It ends when it is not asked for changes within 5 minutes, and with the process of the gateway.';
const making = { result: 'The id of the filter.', errors: ['limit'], cost: 10 } as const;

export const ethNewFilter = define({
  name: 'eth_newFilter',
  summary: `Makes a filter that eth_getFilterChanges reports new logs of. ${lifetime}`,
  params: [
    { name: 'filter', summary: 'an object with address, topics, fromBlock and toBlock.', parse: parseLogFilter },
  ],
  ...making,
  reveals: { contracts: ([filter]) => contractsOfFilter(filter) },
  handle([filter], context) {
    requireFollowable(filter);
    return filtersOf(context).add({ kind: 'logs', filter });
  },
});

export const ethNewBlockFilter = define({
  name: 'eth_newBlockFilter',
  summary: `Makes a filter that eth_getFilterChanges reports the hashes of new blocks of. ${lifetime}`,
  params: [],
  ...making,
  reveals: 'nothing',
  handle: (_, context) => filtersOf(context).add({ kind: 'blocks' }),
});

export const ethNewPendingTransactionFilter = define({
  name: 'eth_newPendingTransactionFilter',
  summary: `Makes a filter for transactions that wait, of which this gateway has none. ${lifetime}`,
  params: [
    {
      name: 'full',
      summary: 'true for whole transactions.',
      isRequired: false,
      parse(field, value): boolean {
        if (typeof value === 'boolean') return value;
        throw new InvalidValueError(field, 'true or false', value, cannotUnmarshal(jsonKind(value), 'bool'));
      },
    },
  ],
  ...making,
  reveals: 'nothing',
  handle: (_, context) => filtersOf(context).add({ kind: 'pendingTransactions' }),
});

export const ethGetFilterChanges = define({
  name: 'eth_getFilterChanges',
  summary: 'The events of a filter since the last time it was asked.',
  params: [idParam],
  result: 'A list of hashes of blocks, or of logs. Logs of blocks that left the chain come again with `removed`.',
  errors: ['server'],
  cost: 20,
  reveals: 'filter',
  handle: ([id], context) => filtersOf(context).changes(requireFilter(id, context)),
});

export const ethGetFilterLogs = define({
  name: 'eth_getFilterLogs',
  summary: 'All logs of a filter, as eth_getLogs returns them.',
  params: [idParam],
  result: 'A list of logs.',
  errors: ['limit', 'server'],
  cost: 75,
  reveals: 'filter',
  handle([id], context) {
    const { topic } = requireFilter(id, context);
    if (topic.kind !== 'logs') throw notFound();
    return findLogs(topic.filter, context);
  },
});

export const ethUninstallFilter = define({
  name: 'eth_uninstallFilter',
  summary: 'Ends a filter.',
  params: [idParam],
  result: 'Whether there was such a filter.',
  reveals: 'nothing',
  handle: ([id], context) => filtersOf(context).remove(id),
});

function filtersOf({ chain, registry, principal }: RequestContext) {
  return registry.filters(chain).of(principal.key.reference);
}

function requireFilter(id: string, context: RequestContext): Filter {
  const filter = filtersOf(context).find(id);
  if (filter === undefined) throw notFound();
  // The key may have been limited since it made the filter.
  if (filter.topic.kind === 'logs') {
    const { policy } = context.principal.key;
    if (policy.contracts !== undefined) requireNamed(policy, 'filters', contractsOfFilter(filter.topic.filter));
  }
  return filter;
}

function notFound(): RpcError {
  return new RpcError('server', 'filter not found. Make a new one: filters end after 5 minutes without a request.');
}
