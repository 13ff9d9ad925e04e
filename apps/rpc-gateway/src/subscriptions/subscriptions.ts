import { randomBytes } from 'node:crypto';
import { type Header, headerToJson, type Json } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import type { Chain } from '../chains/chain.ts';
import type { HeadChange } from '../chains/head-watcher.ts';
import type { LogFilter } from '../methods/logs/log-filter.ts';
import { type LogReader, logsOf } from '../methods/logs/logs-of.ts';
import { receiptsJson } from '../methods/transactions/receipts-json.ts';
import type { RoundRobin } from './round-robin.ts';
import { isInRange, type Topic } from './topic.ts';

/** Most subscriptions of one connection: each new block is matched against all of them. */
const subscriptionsMax = 100;
/** Most unsent head changes of a connection. A slower connection is closed, since events would be lost. */
const changesMax = 256;

/** Fields that geth's newHeads have as null before their fork. */
const laterFields = {
  baseFeePerGas: null,
  withdrawalsRoot: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
  blockAccessListHash: null,
  slotNumber: null,
} as const satisfies Json;

export interface SubscriptionsOptions {
  readonly chain: Pick<Chain, 'reader' | 'heads' | 'syncStatus'>;
  /** Reads the logs of a block. Default: the reader of the chain. */
  readonly blocks?: LogReader;
  /** Shared by all connections. */
  readonly scheduler: RoundRobin;
  /** Sends one whole message. */
  readonly send: (notification: string, topic: Topic) => void;
  /** Called if events arrive faster than they are sent. */
  readonly onLag?: () => void;
}

/** Subscriptions of one connection (geth's eth_subscribe). */
export class Subscriptions {
  readonly #chain: SubscriptionsOptions['chain'];
  readonly #blocks: LogReader;
  readonly #scheduler: RoundRobin;
  readonly #send: SubscriptionsOptions['send'];
  readonly #onLag: () => void;
  /** Last reported state of the topic syncing. */
  #isSyncing: boolean | undefined;
  readonly #changes: HeadChange[] = [];
  #isSending = false;
  readonly #topics = new Map<string, Topic>();
  #stop: (() => void) | undefined;

  constructor({ chain, blocks = chain.reader, scheduler, send, onLag = () => {} }: SubscriptionsOptions) {
    this.#chain = chain;
    this.#blocks = blocks;
    this.#scheduler = scheduler;
    this.#send = send;
    this.#onLag = onLag;
  }

  /** @returns the id of the new subscription @throws RpcError -32005 above the limit of a connection */
  add(topic: Topic): string {
    if (this.#topics.size >= subscriptionsMax)
      throw new RpcError('limit', `A connection may have ${subscriptionsMax} subscriptions; end one first.`, {
        limit: 'subscriptions',
        subscriptionsMax,
      });
    const id = `0x${randomBytes(16).toString('hex')}`;
    this.#topics.set(id, topic);
    this.#stop ??= this.#chain.heads.listen((change) => this.#queue(change));
    // The current state follows the answer with the subscription id.
    if (topic.kind === 'syncing') setImmediate(() => this.#topics.has(id) && this.#notify(id, this.#syncing()));
    return id;
  }

  /** Ends a subscription. Returns false if there is no such subscription. */
  remove(id: string): boolean {
    const existed = this.#topics.delete(id);
    if (this.#topics.size === 0) this.close();
    return existed;
  }

  /** Ends all subscriptions. */
  close(): void {
    this.#topics.clear();
    this.#changes.length = 0;
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Queues a change. Changes are sent one after another, in order of arrival. */
  #queue(change: HeadChange): void {
    if (this.#changes.push(change) > changesMax) this.#onLag();
    if (this.#isSending) return;
    this.#isSending = true;
    this.#scheduler.add(this.#sendChanges());
  }

  *#sendChanges(): Generator<void> {
    try {
      for (let change = this.#changes.shift(); change !== undefined; change = this.#changes.shift())
        yield* this.#sendChange(change);
    } finally {
      this.#isSending = false;
    }
  }

  *#sendChange({ left, joined }: HeadChange): Generator<void> {
    const isSyncing = this.#chain.syncStatus() !== false;
    const hasToggled = this.#isSyncing !== undefined && this.#isSyncing !== isSyncing;
    // A copy: subscriptions that start meanwhile get events from the next change on.
    for (const [id, topic] of [...this.#topics]) {
      yield;
      switch (topic.kind) {
        case 'newHeads':
          for (const header of joined) yield this.#notify(id, { ...laterFields, ...headerToJson(header) });
          break;
        case 'logs':
          for (const header of left) yield* this.#sendLogs(id, topic.filter, header, true);
          for (const header of joined) yield* this.#sendLogs(id, topic.filter, header, false);
          break;
        case 'transactionReceipts':
          for (const header of joined) yield this.#sendReceipts(id, topic.hashes, header);
          break;
        case 'syncing':
          if (hasToggled) this.#notify(id, this.#syncing());
          break;
        case 'newPendingTransactions':
      }
    }
  }

  /** The sync status in geth's format. */
  #syncing(): unknown {
    const status = this.#chain.syncStatus();
    this.#isSyncing = status !== false;
    return status === false ? false : { syncing: true, status };
  }

  #sendReceipts(id: string, hashes: ReadonlySet<string>, header: Header): void {
    const { reader } = this.#chain;
    const block = reader.block(header.hash);
    const receipts = block === undefined ? [] : receiptsJson(reader, block);
    const wanted = receipts.filter(({ transactionHash }) => hashes.size === 0 || hashes.has(String(transactionHash)));
    if (wanted.length > 0) this.#notify(id, wanted);
  }

  *#sendLogs(id: string, filter: LogFilter, header: Header, removed: boolean): Generator<void> {
    if (!isInRange(filter, header.number) || !this.#topics.has(id)) return;
    for (const log of logsOf(filter, this.#blocks, header)) yield this.#notify(id, { ...log, removed });
    yield;
  }

  #notify(subscription: string, result: unknown): void {
    const topic = this.#topics.get(subscription);
    if (topic === undefined) return;
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }), topic);
  }
}
