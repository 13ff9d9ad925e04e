import { cannotUnmarshal, type Hex, InvalidValueError, jsonKind, parseHash, parseMember } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { invalidArgument, RpcError } from '@cairn/jsonrpc-core';
import type { BlockId } from '../block-id.ts';
import { type LogFilter, parseLogFilter, requireBounded } from '../methods/logs/log-filter.ts';
import { parseItems } from '../methods/params.ts';

/** The events that a subscription reports. */
export type Topic =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly filter: LogFilter }
  /** Receipts of these transactions only; empty stands for all. */
  | { readonly kind: 'transactionReceipts'; readonly hashes: ReadonlySet<Hex> }
  | { readonly kind: 'syncing' }
  /** `isFull`: transaction objects instead of hashes. */
  | { readonly kind: 'newPendingTransactions'; readonly isFull: boolean };

/** Topics whose events follow from the blocks of the chain. Their subscriptions can start at any block. */
export type BlockTopic = Extract<Topic, { kind: 'newHeads' | 'logs' | 'transactionReceipts' }>;

export function isBlockTopic(topic: Topic): topic is BlockTopic {
  return topic.kind === 'newHeads' || topic.kind === 'logs' || topic.kind === 'transactionReceipts';
}

/** Second parameter of eth_subscribe: absent (`undefined`), or any value including `null`. */
export interface GivenQuery {
  readonly value: unknown;
}

/** Most transactions of one subscription, as in geth. */
const hashesMax = 200;
const queryField = 'parameter 2, filter';

/** Parses the parameters of eth_subscribe as geth does. @throws RpcError -32601 for an unknown kind, -32602 for invalid values */
export function parseTopic(kind: unknown, { value }: GivenQuery): Topic {
  if (typeof kind !== 'string') {
    const kinds = 'newHeads, logs, transactionReceipts, syncing or newPendingTransactions';
    throw new RpcError('params', `expected subscription name as first argument. Give ${kinds}.`);
  }
  try {
    switch (kind) {
      case 'newHeads':
      case 'syncing':
        if (value !== undefined)
          throw new RpcError('params', `too many arguments, want at most 1. ${kind} takes no filter.`);
        return { kind };
      case 'newPendingTransactions':
        return { kind, isFull: parseFlag(value) };
      case 'transactionReceipts':
        return { kind, hashes: parseHashes(value) };
      case 'logs':
        return { kind, filter: parseLogQuery(value) };
    }
  } catch (error) {
    throw isCairnError(error, 'VALUE_INVALID') ? invalidArgument(1, error) : error;
  }
  throw new RpcError('method', `no ${JSON.stringify(kind.slice(0, 100))} subscription in eth namespace`);
}

function parseFlag(value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  throw new InvalidValueError(
    queryField,
    'true for transaction objects',
    value,
    cannotUnmarshal(jsonKind(value), 'bool'),
  );
}

function parseHashes(value: unknown): ReadonlySet<Hex> {
  if (value === undefined || value === null) return new Set();
  if (typeof value !== 'object' || Array.isArray(value))
    throw new InvalidValueError(
      queryField,
      'an object with transactionHashes',
      value,
      cannotUnmarshal(jsonKind(value), 'filters.input'),
    );
  const { transactionHashes = null } = value as { readonly transactionHashes?: unknown };
  const hashes = parseMember({ name: 'input' }, 'transactionHashes', () =>
    parseItems(`${queryField}.transactionHashes`, transactionHashes, '[]common.Hash', parseHash),
  );
  if (hashes.length > hashesMax)
    throw new RpcError(
      'server',
      `exceed max number of transaction hashes allowed per transactionReceipts subscription. Give at most ${hashesMax}.`,
    );
  return new Set(hashes);
}

function parseLogQuery(value: unknown): LogFilter {
  if (value === undefined)
    throw new RpcError(
      'params',
      'missing value for required argument 1. Parameter 2, filter, is an object with address and topics.',
    );
  const filter = parseLogFilter(queryField, value);
  requireFollowable(filter);
  return filter;
}

/** Checks that a filter can match logs of future blocks. @throws RpcError in geth's words */
export function requireFollowable(filter: LogFilter): void {
  requireBounded(filter);
  // Matches geth: a block hash is accepted and ignored.
  if ('hash' in filter.blocks) return;
  const { from, to } = filter.blocks;
  if (isTag(from, 'pending') || isTag(to, 'pending'))
    throw new RpcError('params', 'pending logs are not supported. The pending block is empty.');
  const start = isTag(from, 'earliest') ? { number: 0n } : from;
  if (isTag(start, 'latest') && isTag(to, 'latest')) return;
  if ('number' in start && (isTag(to, 'latest') || ('number' in to && to.number >= start.number))) return;
  throw new RpcError(
    'params',
    'invalid block range params. Use a range from a number or latest, to latest or a higher number.',
  );
}

function isTag(id: BlockId, tag: string): boolean {
  return 'tag' in id && id.tag === tag;
}

/** Reports whether a new block is in the range of a filter. */
export function isInRange({ blocks }: LogFilter, number: bigint): boolean {
  if ('hash' in blocks) return true;
  const { from, to } = blocks;
  return !('number' in from && number < from.number) && !('number' in to && number > to.number);
}
