import { RpcError } from '@cairn/jsonrpc-core';
import { authorizeTopic } from '../../authorize.ts';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { parseLastSeen, resumedBlocksMax } from '../../subscriptions/resume-point.ts';
import { topicOfSubscription } from '../../subscriptions/subscription-id.ts';
import { parseTopic } from '../../subscriptions/topic.ts';
import { define } from '../define.ts';
import { contractsOfTopic } from '../reveals.ts';
import { parseSubscriptionId } from './subscription-id.ts';

export const ethSubscribe = define({
  name: 'eth_subscribe',
  summary:
    'Subscribes to events, which arrive as eth_subscription messages; WebSocket only. newHeads: each new block of the canonical chain. logs: each matching log, and again with `removed` when a reorg removes its block. transactionReceipts: the receipts of each new block in one list. syncing: whether the gateway is behind its source. newPendingTransactions: transactions that this process sends, and those that upstreams with a WebSocket report; of more than 4,096 unread ones, the newest.',
  params: [
    {
      name: 'kind',
      summary: 'newHeads, logs, transactionReceipts, syncing or newPendingTransactions.',
      schema: paramSchemas.subscriptionKind,
      parsesAbsent: true,
      parse: (_, value) => value,
    },
    {
      name: 'filter',
      summary:
        'for logs: an object with address and topics. For transactionReceipts: an object with up to 200 transactionHashes. For newPendingTransactions: true for transaction objects instead of hashes.',
      schema: paramSchemas.subscriptionFilter,
      isRequired: false,
      parsesAbsent: true,
      parse: (_, value) => ({ value }),
    },
  ],
  result: 'The id of the subscription.',
  errors: ['method', 'limit', 'server'],
  cost: 10,
  reveals: {
    contracts: ([kind, query]) => contractsOfTopic(parseTopic(kind, query ?? { value: undefined })),
    note: 'allowed for logs of the contracts of the key and for the other kinds; transactionReceipts and transaction objects of newPendingTransactions are refused.',
  },
  handle([kind, query], context) {
    const { subscriptions } = context;
    if (subscriptions === undefined) throw unsupported();
    return subscriptions.add(parseTopic(kind, query ?? { value: undefined }));
  },
});

export const ethUnsubscribe = define({
  name: 'eth_unsubscribe',
  summary: 'Ends a subscription of the same WebSocket connection.',
  params: [
    {
      name: 'id',
      summary: 'the id that eth_subscribe returned.',
      schema: paramSchemas.text,
      parse: parseSubscriptionId,
    },
  ],
  result: 'true; an error if there is no such subscription.',
  errors: ['server'],
  cost: 1,
  reveals: 'nothing',
  handle([id], { subscriptions }: RequestContext) {
    if (subscriptions?.remove(id)) return true;
    throw new RpcError('server', 'subscription not found. Subscriptions end with their WebSocket connection.');
  },
});

export const cairnResume = define({
  name: 'cairn_resume',
  summary: `Continues a subscription to newHeads, logs or transactionReceipts after its connection was lost; WebSocket only. Delivers the missed events in order, each once, then new ones under the same id. Logs that the client has seen and that a reorg removed meanwhile arrive with \`removed\`. Reads up to ${resumedBlocksMax} blocks; data.firstBlock of the error -32005 is the first block that can still be delivered.`,
  params: [
    {
      name: 'id',
      summary: 'the id that eth_subscribe returned.',
      schema: paramSchemas.text,
      parse: parseSubscriptionId,
    },
    {
      name: 'last',
      summary:
        'the last event: the header, log or receipt of the last notification, or an object with number and hash of the last block whose events were all received.',
      schema: paramSchemas.object,
      parse: parseLastSeen,
    },
    {
      name: 'kind',
      summary: 'as for eth_subscribe; required only for the id of a filter with many values.',
      schema: paramSchemas.subscriptionKind,
      isRequired: false,
      parsesAbsent: true,
      parse: (_, value) => value,
    },
    {
      name: 'filter',
      summary: 'as for eth_subscribe, with kind.',
      schema: paramSchemas.subscriptionFilter,
      isRequired: false,
      parsesAbsent: true,
      parse: (_, value) => ({ value }),
    },
  ],
  result: 'The same id. The missed events follow.',
  errors: ['method', 'limit', 'server'],
  cost: 75,
  reveals: {
    contracts: ([id, , kind, query]) => contractsOfTopic(topicOfSubscription(id, kind, query)),
    note: 'as for eth_subscribe.',
  },
  async handle([id, last, kind, query], { subscriptions, principal }) {
    if (subscriptions === undefined) throw unsupported();
    const topic = topicOfSubscription(id, kind, query);
    authorizeTopic(principal.key.policy, topic);
    return await subscriptions.resume(id, topic, last);
  },
});

function unsupported(): RpcError {
  return new RpcError('method', 'notifications not supported. Connect to /ws/v3/<API_KEY> for subscriptions.');
}
