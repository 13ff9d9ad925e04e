import {
  type Hex,
  type Json,
  senderOf,
  type Transaction,
  transactionFromJson,
  transactionToJson,
} from '@cairn/block-model';
import { answerInvalid, notYetKnown, type UpstreamPool } from '@cairn/upstream';
import { LRUCache } from 'lru-cache';
import type { Chain } from '../chains/chain.ts';
import { RecentEvents } from './recent-events.ts';

/** Hashes by which repeated reports are recognized. */
const knownMax = 16_384;
/** Transactions of the feed that wait for their content; further ones are reported by hash only. */
const waitingMax = 256;
const concurrencyMax = 4;
const checkMs = 60_000;

/** Pending transactions of one network: those that this process sent, and those of the upstreams. */
export interface PendingTransactions {
  readonly hashes: RecentEvents<Hex>;
  /** Transactions with verified content: their hash is recomputed. */
  readonly transactions: RecentEvents<Transaction>;
}

/** The part of {@link RecentEvents} that readers use. */
export type PendingEvents = Pick<RecentEvents<unknown>, 'position' | 'positionAt' | 'since' | 'listen' | 'poll'>;

/** Pending transactions as a client gets them: hashes, or the objects of eth_getTransactionByHash. */
export function pendingEvents({ hashes, transactions }: PendingTransactions, isFull: boolean): PendingEvents {
  if (!isFull) return hashes;
  return {
    get position() {
      return transactions.position;
    },
    positionAt: (time) => transactions.positionAt(time),
    since: (position) => transactions.since(position).map((transaction) => transactionToJson(transaction)),
    listen: (listener) => transactions.listen(listener),
    poll: () => transactions.poll(),
  };
}

/** Called when a reader polls or listens. `isFull`: it reads transactions rather than hashes. */
type ReadListener = (reads: { readonly isFull: boolean }) => void;

type FeedPool = Pick<UpstreamPool, 'onPendingTransaction' | 'request'>;

/** Collects the pending transactions of one network. The feeds of the upstreams are followed only while there are readers. */
export class NetworkPending implements PendingTransactions {
  readonly hashes: RecentEvents<Hex>;
  readonly transactions: RecentEvents<Transaction>;
  readonly #upstreams: FeedPool | undefined;
  readonly #onRead: ReadListener;
  readonly #known = new LRUCache<Hex, true>({ max: knownMax });
  readonly #waiting: Hex[] = [];
  #reading = 0;
  #stopFeed: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(upstreams: FeedPool | undefined, now?: () => number, onRead: ReadListener = () => {}) {
    this.#upstreams = upstreams;
    this.#onRead = onRead;
    const used = (isFull: boolean) => () => {
      this.#follow();
      if (this.hashes.isUsed || this.transactions.isUsed) this.#onRead({ isFull });
    };
    this.hashes = new RecentEvents(used(false), now);
    this.transactions = new RecentEvents(used(true), now);
  }

  /** Collects for a reader at another process, whose next poll may arrive here. */
  keepReading({ isFull }: { readonly isFull: boolean }): void {
    (isFull ? this.transactions : this.hashes).extend();
    this.#follow();
  }

  /** Reports a transaction that this process sent. */
  sent(transaction: Transaction): void {
    if (this.#known.has(transaction.hash)) return;
    this.#known.set(transaction.hash, true);
    this.hashes.add(transaction.hash);
    this.transactions.add(transaction);
  }

  /** Starts or ends the feed of the upstreams. */
  #follow(): void {
    const isUsed = this.hashes.isUsed || this.transactions.isUsed;
    if (isUsed && this.#stopFeed === undefined && this.#upstreams !== undefined) {
      this.#stopFeed = this.#upstreams.onPendingTransaction((hash) => this.#reported(hash as Hex));
      // Readers that poll end without a call.
      this.#timer = setInterval(() => this.#follow(), checkMs).unref();
    }
    if (isUsed) return;
    this.#stopFeed?.();
    this.#stopFeed = undefined;
    clearInterval(this.#timer);
    this.#waiting.length = 0;
  }

  #reported(hash: Hex): void {
    if (this.#known.has(hash)) return;
    this.#known.set(hash, true);
    this.hashes.add(hash);
    if (!this.transactions.isUsed || this.#waiting.length >= waitingMax) return;
    this.#waiting.push(hash);
    while (this.#reading < concurrencyMax && this.#waiting.length > 0) void this.#readNext();
  }

  /** Never rejects: a transaction that cannot be read may have been mined or dropped. */
  async #readNext(): Promise<void> {
    const hash = this.#waiting.shift();
    if (hash === undefined || this.#upstreams === undefined) return;
    this.#reading++;
    try {
      const call = {
        method: 'eth_getTransactionByHash',
        params: [hash],
        mayBeAbsent: true,
        parse: (result: unknown) => parseWithHash(result, hash),
      };
      this.transactions.add((await this.#upstreams.request(call)).value);
    } catch {
      // The hash was reported.
    } finally {
      this.#reading--;
      if (this.#waiting.length > 0) void this.#readNext();
    }
  }
}

/** Parses the answer to eth_getTransactionByHash. @throws UPSTREAM_ANSWER_INVALID for the content of another hash */
function parseWithHash(result: unknown, hash: Hex): Transaction {
  if (result === null || typeof result !== 'object') throw notYetKnown('the transaction is unknown');
  const transaction = transactionFromJson(result as Json);
  if (transaction.hash !== hash) throw answerInvalid(`the content of transaction ${hash} has hash ${transaction.hash}`);
  // Throws for an invalid signature; the JSON of the transaction names the sender.
  senderOf(transaction);
  return transaction;
}

/** Pending transactions of all networks. */
export class PendingRegistry {
  readonly #byNetwork = new WeakMap<Chain['network'], NetworkPending>();
  /** Called when the pending transactions of a network are read in this process. */
  onRead: (network: Chain['network'], reads: { readonly isFull: boolean }) => void = () => {};

  of({ network, upstreams }: Pick<Chain, 'network' | 'upstreams'>): NetworkPending {
    let pending = this.#byNetwork.get(network);
    if (pending === undefined) {
      pending = new NetworkPending(upstreams, undefined, (reads) => this.onRead(network, reads));
      this.#byNetwork.set(network, pending);
    }
    return pending;
  }
}
