import { randomBytes } from 'node:crypto';
import { type Header, headerToJson, type Json } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';
import { RpcError } from '@cairn/jsonrpc-core';
import type { SyncStatus } from '../chains/sync-status.ts';
import type { LogFilter } from '../methods/logs/log-filter.ts';
import { type LogStore, logsOf } from '../methods/logs/logs-of.ts';
import { receiptsJson } from '../methods/transactions/receipts.ts';
import type { HeadChange, HeadWatcher } from './head-watcher.ts';
import { isInRange, type Topic } from './topic.ts';
import type { Turns } from './turns.ts';

/** Of one connection: each new block is matched against all of them. */
const subscriptionsMax = 100;
/** Changes of the head that a connection may be behind: then it is closed, since what it missed cannot be told. */
const changesMax = 256;

/** Fields that geth's newHeads have as null where a fork is not active yet. */
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

/** Subscriptions of one connection (geth's eth_subscribe). */
export class Subscriptions {
  readonly #store: ChainStore;
  readonly #watcher: HeadWatcher;
  readonly #send: (notification: string, topic: Topic) => void;
  readonly #syncStatus: () => SyncStatus;
  /** The last state that syncing reported. */
  #isSyncing: boolean | undefined;
  readonly #turns: Turns;
  readonly #blocks: LogStore;
  readonly #lag: () => void;
  readonly #changes: HeadChange[] = [];
  #isTelling = false;
  readonly #topics = new Map<string, Topic>();
  #stop: (() => void) | undefined;

  /** @param send takes whole messages; what it does with them while the connection closes is its own affair */
  constructor({
    store,
    blocks = store,
    watcher,
    turns,
    send,
    lag = () => {},
    syncStatus,
  }: {
    readonly store: ChainStore;
    /** The same, with the last blocks decoded. */
    readonly blocks?: LogStore;
    readonly watcher: HeadWatcher;
    /** Shared by all connections. */
    readonly turns: Turns;
    /** Called where events come faster than they can be told. */
    readonly lag?: () => void;
    readonly send: (notification: string, topic: Topic) => void;
    readonly syncStatus: () => SyncStatus;
  }) {
    this.#store = store;
    this.#blocks = blocks;
    this.#turns = turns;
    this.#lag = lag;
    this.#watcher = watcher;
    this.#send = send;
    this.#syncStatus = syncStatus;
  }

  /** @returns the id of the subscription @throws RpcError -32005 when there are too many */
  add(topic: Topic): string {
    if (this.#topics.size >= subscriptionsMax)
      throw new RpcError('limit', `A connection may have ${subscriptionsMax} subscriptions; end one first.`, {
        limit: 'subscriptions',
        subscriptionsMax,
      });
    const id = `0x${randomBytes(16).toString('hex')}`;
    this.#topics.set(id, topic);
    this.#stop ??= this.#watcher.listen((change) => this.#queue(change));
    // The state of now comes behind the answer that names the subscription.
    if (topic.kind === 'syncing') setImmediate(() => this.#topics.has(id) && this.#notify(id, this.#syncing()));
    return id;
  }

  /** Whether there was such a subscription. */
  remove(id: string): boolean {
    const wasThere = this.#topics.delete(id);
    if (this.#topics.size === 0) this.close();
    return wasThere;
  }

  /** Ends all of them. */
  close(): void {
    this.#topics.clear();
    this.#changes.length = 0;
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Sends changes one after the other, in the order of their arrival. */
  #queue(change: HeadChange): void {
    if (this.#changes.push(change) > changesMax) this.#lag();
    if (this.#isTelling) return;
    this.#isTelling = true;
    this.#turns.add(this.#tellAll());
  }

  *#tellAll(): Generator<void> {
    try {
      for (let change = this.#changes.shift(); change !== undefined; change = this.#changes.shift())
        yield* this.#tell(change);
    } finally {
      this.#isTelling = false;
    }
  }

  *#tell({ left, joined }: HeadChange): Generator<void> {
    const syncing = this.#syncStatus();
    const hasTurned = this.#isSyncing !== undefined && this.#isSyncing !== (syncing !== false);
    // A copy: a subscription that begins meanwhile has the events from the next change on.
    for (const [id, topic] of [...this.#topics]) {
      yield;
      switch (topic.kind) {
        case 'newHeads':
          for (const header of joined) yield this.#notify(id, { ...laterFields, ...headerToJson(header) });
          break;
        case 'logs':
          for (const header of left) yield* this.#tellLogs(id, topic.filter, header, true);
          for (const header of joined) yield* this.#tellLogs(id, topic.filter, header, false);
          break;
        case 'transactionReceipts':
          for (const header of joined) yield this.#tellReceipts(id, topic.hashes, header);
          break;
        case 'syncing':
          if (hasTurned) this.#notify(id, this.#syncing());
          break;
        case 'newPendingTransactions':
      }
    }
  }

  /** The state of the network in geth's form. */
  #syncing(): unknown {
    const status = this.#syncStatus();
    this.#isSyncing = status !== false;
    return status === false ? false : { syncing: true, status };
  }

  #tellReceipts(id: string, hashes: ReadonlySet<string>, header: Header): void {
    const block = this.#store.block(header.hash);
    const receipts = block === undefined ? [] : receiptsJson(this.#store, block);
    const wanted = receipts.filter(({ transactionHash }) => hashes.size === 0 || hashes.has(String(transactionHash)));
    if (wanted.length > 0) this.#notify(id, wanted);
  }

  *#tellLogs(id: string, filter: LogFilter, header: Header, removed: boolean): Generator<void> {
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
