import { RpcError } from '@cairn/jsonrpc-core';
import type { Chain } from '../chains/chain.ts';
import {
  NetworkPending,
  type PendingEvents,
  type PendingTransactions,
  pendingEvents,
} from '../sending/pending-transactions.ts';
import { type BlockChange, ChainEvents } from './chain-events.ts';
import { type ChainPosition, positionAfter } from './chain-path.ts';
import { type LastSeen, resumePoint } from './resume-point.ts';
import { retrying } from './retrying.ts';
import type { RoundRobin } from './round-robin.ts';
import { hasSeen, type SeenLogs } from './seen-logs.ts';
import { subscriptionIdOf } from './subscription-id.ts';
import { type BlockTopic, isBlockTopic, type Topic } from './topic.ts';

/** Most subscriptions of one connection: each new block is matched against all of them. */
const subscriptionsMax = 100;
/** Most changes of the head during one send. A connection that reads more slowly is closed; the client can resume. */
const changesMax = 256;
/** Events that are serialized before other requests are served. */
const eventsPerTurn = 64;

export interface SubscriptionsOptions {
  readonly chain: Pick<Chain, 'read' | 'heads' | 'syncStatus'>;
  /** Shared by the connections of a network. */
  readonly events?: ChainEvents;
  /** Default: none. */
  readonly pending?: PendingTransactions;
  /** Shared by all connections. */
  readonly scheduler: RoundRobin;
  /** Sends whole messages in order. Resolves when the client reads fast enough for more. */
  readonly send: (notifications: readonly string[], topic: Topic) => Promise<void>;
  /** Called if the client does not read its events. */
  readonly onLag?: () => void;
  /** Called if events cannot be read. No event was skipped. */
  readonly onFailure?: (error: unknown) => void;
  /** Milliseconds between attempts to read. Default: see {@link retrying}. */
  readonly retryDelaysMs?: readonly number[];
}

/** A subscription to events of blocks: all events up to and including `seen` are delivered. */
interface BlockStream {
  readonly topic: BlockTopic;
  seen: ChainPosition;
  /** Present while the client has seen a part of the logs of block `seen`. */
  partly: SeenLogs | undefined;
}

/** A subscription to pending transactions: all up to `position` are delivered. */
interface PendingStream {
  readonly topic: Extract<Topic, { kind: 'newPendingTransactions' }>;
  readonly source: PendingEvents;
  position: number;
  /** Ends the listening; present after {@link Subscriptions.start}. */
  stop?: () => void;
}

interface SyncingStream {
  readonly topic: Extract<Topic, { kind: 'syncing' }>;
}

type Stream = BlockStream | PendingStream | SyncingStream;

/** Subscriptions of one connection (geth's eth_subscribe). */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #events: ChainEvents;
  readonly #pending: PendingTransactions;
  readonly #streams = new Map<string, Stream>();
  /** Streams whose id the client does not have yet. */
  readonly #waiting = new Map<string, Stream>();
  readonly #abort = new AbortController();
  /** Last reported state of the topic syncing. */
  #isSyncing: boolean | undefined;
  /** Calls of {@link #wake}. */
  #wakes = 0;
  #isRunning = false;
  /** Changes of the head during the send that waits for the client; `undefined` between sends. */
  #changesInSend: number | undefined;
  #stop: (() => void) | undefined;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#events = options.events ?? new ChainEvents(options.chain);
    this.#pending = options.pending ?? new NetworkPending(undefined);
  }

  /** Number of subscriptions. */
  get size(): number {
    return this.#streams.size + this.#waiting.size;
  }

  /**
   * Adds a subscription to events after the current head. It is silent until {@link start}.
   * @returns its id @throws RpcError -32005 above the limit of a connection
   */
  async add(topic: Topic): Promise<string> {
    const id = subscriptionIdOf(topic);
    if (topic.kind === 'syncing') return this.#put(id, { topic });
    if (!isBlockTopic(topic)) {
      const source = pendingEvents(this.#pending, topic.isFull);
      return this.#put(id, { topic, source, position: source.position });
    }
    return this.#put(id, { topic, seen: await this.#events.head(), partly: undefined });
  }

  /**
   * Adds a subscription to events after those that a client has seen. It is silent until {@link start}.
   * @throws RpcError for a block that is unknown or too far below the head, and above the limit of a connection
   */
  async resume(id: string, topic: BlockTopic, last: LastSeen): Promise<string> {
    const point = await this.#options.chain.read(({ reader }) => resumePoint(reader, topic, last));
    if (this.#streams.has(id) || this.#waiting.has(id))
      throw new RpcError('params', 'The subscription is active on this connection. End it with eth_unsubscribe first.');
    return this.#put(id, { topic, ...point });
  }

  #put(id: string, stream: Stream): string {
    if (this.size >= subscriptionsMax)
      throw new RpcError('limit', `A connection may have ${subscriptionsMax} subscriptions; end one first.`, {
        limit: 'subscriptions',
        subscriptionsMax,
      });
    this.#abort.signal.throwIfAborted();
    this.#waiting.set(id, stream);
    return id;
  }

  /** Starts subscriptions. Called when the client has their ids. */
  start(ids: readonly string[]): void {
    for (const id of ids) {
      const stream = this.#waiting.get(id);
      if (!this.#waiting.delete(id) || stream === undefined) continue;
      this.#streams.set(id, stream);
      if ('source' in stream) stream.stop = stream.source.listen(() => this.#wake());
      if (stream.topic.kind === 'syncing') void this.#notify(id, stream, [this.#syncing()]);
    }
    if (this.#streams.size === 0) return;
    this.#stop ??= this.#options.chain.heads.listen(() => this.#headChanged());
    // Steps may be older than the listener.
    this.#events.forgetSteps();
    this.#wake();
  }

  /** Ends a subscription. Returns false if there is no such subscription. */
  remove(id: string): boolean {
    const stream = this.#streams.get(id);
    if (stream !== undefined && 'source' in stream) stream.stop?.();
    const existed = this.#streams.delete(id) || this.#waiting.delete(id);
    if (this.#streams.size === 0) this.#unlisten();
    return existed;
  }

  /** Ends all subscriptions. */
  close(): void {
    for (const stream of this.#streams.values()) if ('source' in stream) stream.stop?.();
    this.#streams.clear();
    this.#waiting.clear();
    this.#unlisten();
    this.#abort.abort(new Error('The connection is closed.'));
  }

  #unlisten(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #headChanged(): void {
    this.#events.forgetSteps();
    if (this.#changesInSend !== undefined && ++this.#changesInSend > changesMax) this.#options.onLag?.();
    this.#wake();
  }

  #wake(): void {
    this.#wakes++;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run().catch((error: unknown) => {
      if (!this.#abort.signal.aborted) this.#options.onFailure?.(error);
    });
  }

  /** Delivers events until all streams have reached the head. */
  async #run(): Promise<void> {
    try {
      let wakes: number;
      let hasMoved: boolean;
      do {
        wakes = this.#wakes;
        await this.#reportSyncing();
        await this.#reportPending();
        hasMoved = await this.#advance();
      } while (hasMoved || wakes !== this.#wakes);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Delivers one step of each stream. Returns false if all streams are at the head. */
  async #advance(): Promise<boolean> {
    let hasMoved = false;
    for (const group of this.#groups()) {
      const [[, first]] = group;
      const step = await this.#read(() => this.#events.step(first.seen));
      if (step === undefined) throw unknownPosition(first.seen);
      for (const [id, stream] of group)
        if (stream.partly !== undefined && step[0]?.isRemoved !== true) await this.#completeBlock(id, stream);
      for (const change of step) for (const [id, stream] of group) await this.#deliver(id, stream, change);
      hasMoved ||= step.length > 0;
    }
    return hasMoved;
  }

  /** Streams of blocks by position: those at the same block share their reads. */
  #groups(): readonly (readonly [readonly [string, BlockStream], ...(readonly [string, BlockStream])[]])[] {
    const groups = new Map<string, [readonly [string, BlockStream], ...(readonly [string, BlockStream])[]]>();
    for (const [id, stream] of this.#streams) {
      if (!isBlockStream(stream)) continue;
      const group = groups.get(stream.seen.hash);
      if (group === undefined) groups.set(stream.seen.hash, [[id, stream]]);
      else group.push([id, stream]);
    }
    return [...groups.values()];
  }

  /** Delivers the logs of the last seen block that the client has not seen. */
  async #completeBlock(id: string, stream: BlockStream): Promise<void> {
    const { seen, partly, topic } = stream;
    const header = await this.#read(() => this.#events.header(seen.hash));
    if (header === undefined || partly === undefined) throw unknownPosition(seen);
    const events = await this.#read(() => this.#events.of(topic, { header, isRemoved: false }));
    stream.partly = undefined;
    await this.#notify(
      id,
      stream,
      events.filter((log) => !hasSeen(partly, log)),
    );
  }

  async #deliver(id: string, stream: BlockStream, change: BlockChange): Promise<void> {
    await this.#options.scheduler.turn();
    if (this.#streams.get(id) !== stream) return;
    const { partly, topic } = stream;
    const events = await this.#read(() => this.#events.of(topic, change));
    // Nothing fails from here on, so that no event is delivered twice.
    stream.seen = positionAfter(change.header, change.isRemoved);
    stream.partly = undefined;
    await this.#notify(id, stream, partly === undefined ? events : events.filter((log) => hasSeen(partly, log)));
  }

  #read<T>(read: () => Promise<T>): Promise<T> {
    return retrying(read, { signal: this.#abort.signal, delaysMs: this.#options.retryDelaysMs });
  }

  /** The sync status in geth's format. */
  #syncing(): unknown {
    const status = this.#options.chain.syncStatus();
    this.#isSyncing = status !== false;
    return status === false ? false : { syncing: true, status };
  }

  async #reportSyncing(): Promise<void> {
    const streams = [...this.#streams].filter(([, { topic }]) => topic.kind === 'syncing');
    const isSyncing = this.#options.chain.syncStatus() !== false;
    if (this.#isSyncing === undefined || this.#isSyncing === isSyncing) return;
    for (const [id, stream] of streams) await this.#notify(id, stream, [this.#syncing()]);
  }

  /** Delivers pending transactions. A client that reads slowly misses the oldest. */
  async #reportPending(): Promise<void> {
    for (const [id, stream] of [...this.#streams]) {
      if (!('source' in stream)) continue;
      const events = stream.source.since(stream.position);
      stream.position = stream.source.position;
      await this.#notify(id, stream, events);
    }
  }

  async #notify(subscription: string, stream: Stream, events: readonly unknown[]): Promise<void> {
    for (let at = 0; at < events.length; at += eventsPerTurn) {
      if (at > 0) await this.#options.scheduler.turn();
      if (this.#streams.get(subscription) !== stream) return;
      const notifications = events
        .slice(at, at + eventsPerTurn)
        .map((result) =>
          JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }),
        );
      this.#changesInSend = 0;
      await this.#options.send(notifications, stream.topic);
      this.#changesInSend = undefined;
    }
  }
}

function isBlockStream(stream: Stream): stream is BlockStream {
  return 'seen' in stream;
}

function unknownPosition({ number, hash }: ChainPosition): RpcError {
  return new RpcError(
    'server',
    `Block ${number} with hash ${hash}, or an ancestor on its branch, is unknown. Read the missed logs with eth_getLogs, then subscribe again.`,
  );
}
