import { randomBytes } from 'node:crypto';
import { type Header, headerToJson } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';
import { RpcError } from '@cairn/jsonrpc-core';
import type { LogFilter } from '../methods/logs/log-filter.ts';
import { logsOf } from '../methods/logs/logs-of.ts';
import type { HeadChange, HeadWatcher } from './head-watcher.ts';

/** Of one connection: each new block is matched against all of them. */
const subscriptionsMax = 100;

/** What a client wants to be told of. */
export type Topic = { readonly kind: 'newHeads' } | { readonly kind: 'logs'; readonly filter: LogFilter };

/** Subscriptions of one connection (geth's eth_subscribe). */
export class Subscriptions {
  readonly #store: ChainStore;
  readonly #watcher: HeadWatcher;
  readonly #send: (notification: string) => void;
  readonly #topics = new Map<string, Topic>();
  #stop: (() => void) | undefined;

  /** @param send takes whole messages; what it does with them while the connection closes is its own affair */
  constructor({
    store,
    watcher,
    send,
  }: {
    readonly store: ChainStore;
    readonly watcher: HeadWatcher;
    readonly send: (notification: string) => void;
  }) {
    this.#store = store;
    this.#watcher = watcher;
    this.#send = send;
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
    this.#stop ??= this.#watcher.listen((change) => this.#tell(change));
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
    this.#stop?.();
    this.#stop = undefined;
  }

  #tell({ left, joined }: HeadChange): void {
    for (const [id, topic] of this.#topics) {
      if (topic.kind === 'newHeads') {
        for (const header of joined) this.#notify(id, headerToJson(header));
        continue;
      }
      for (const header of left) this.#tellLogs(id, topic.filter, header, true);
      for (const header of joined) this.#tellLogs(id, topic.filter, header, false);
    }
  }

  #tellLogs(id: string, filter: LogFilter, header: Header, removed: boolean): void {
    for (const log of logsOf(filter, this.#store, header)) this.#notify(id, { ...log, removed });
  }

  #notify(subscription: string, result: unknown): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }));
  }
}
