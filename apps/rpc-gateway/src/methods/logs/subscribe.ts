import { InvalidValueError } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { parseLogFilter } from './log-filter.ts';

const kinds = '"newHeads" or "logs"';

export const ethSubscribe = define({
  name: 'eth_subscribe',
  summary:
    'Tells of every new block of the canonical chain, or of every log in one that is wanted, in eth_subscription messages. Over WebSocket only. Logs of blocks that leave the chain come again with `removed`.',
  params: [
    {
      name: 'kind',
      summary: `${kinds}.`,
      parse(field, value) {
        if (value === 'newHeads' || value === 'logs') return value;
        const why = value === 'newPendingTransactions' ? ' (this gateway has no pending transactions)' : '';
        throw new InvalidValueError(field, `${kinds}${why}`, value);
      },
    },
    {
      name: 'filter',
      summary: 'for logs: an object with address and topics.',
      isRequired: false,
      parse: parseLogFilter,
    },
  ],
  result: 'The id of the subscription.',
  errors: ['method', 'limit'],
  cost: 10,
  handle([kind, filter], context) {
    const subscriptions = subscriptionsOf(context);
    if (kind === 'newHeads') return subscriptions.add({ kind });
    return subscriptions.add({ kind, filter: filter ?? parseLogFilter('filter', {}) });
  },
});

export const ethUnsubscribe = define({
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription. Over WebSocket only.',
  params: [
    {
      name: 'id',
      summary: 'the id that eth_subscribe answered.',
      parse(field, value) {
        if (typeof value === 'string') return value;
        throw new InvalidValueError(field, 'the id of a subscription', value);
      },
    },
  ],
  result: 'true; an error where there is no such subscription.',
  errors: ['method', 'server'],
  cost: 1,
  handle([id], context) {
    if (subscriptionsOf(context).remove(id)) return true;
    throw new RpcError('server', 'subscription not found');
  },
});

function subscriptionsOf({ subscriptions }: RequestContext) {
  if (subscriptions) return subscriptions;
  throw new RpcError('method', 'notifications not supported over HTTP; connect to /ws/v3/<API_KEY>');
}
