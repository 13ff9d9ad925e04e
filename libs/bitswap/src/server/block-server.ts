import type { CID } from '@cairn/cid';
import { blockKey } from '../block-key.ts';
import { ByteRate } from '../byte-rate.ts';
import type { BitswapLimits } from '../limits.ts';
import { MessageSender } from '../message-sender.ts';
import type { BlockSource, ServingPolicy } from '../ports.ts';
import type { Steps } from '../sliced-steps.ts';
import type { BitswapTransport, PeerName } from '../transport.ts';
import { encodeFrame } from '../wire/encode-message.ts';
import type { BitswapMessage, WantEntry } from '../wire/message.ts';
import { type Answers, collectAnswers } from './answers.ts';
import { type Account, Ledger, type ServerWant } from './ledger.ts';
import { PresenceCache } from './presence-cache.ts';
import { WaitingWants } from './waiting-wants.ts';

/** Steps of one pass over the waiting wants. */
const checksPerPass = 10;

/** Consecutive failed messages after which the wants of a peer are dropped. */
const failuresMax = 3;

interface ServerOptions {
  readonly source: BlockSource;
  readonly policy: ServingPolicy;
  readonly transport: BitswapTransport;
  readonly limits: BitswapLimits;
  readonly account: (peer: PeerName) => Account;
  readonly onSent: (account: Account, blocks: number, bytes: number) => void;
  /** Called when a connected peer accepts no messages. Its wants are dropped, so it must be disconnected. */
  readonly onStalled: (peer: PeerName) => void;
  readonly onError: (error: unknown) => void;
  readonly restMs?: (() => number) | undefined;
}

/** Answers the wants of peers. Each peer has one message in flight, so that a slow reader pauses only its own queue. */
export class BlockServer {
  readonly #options: ServerOptions;
  readonly #ledgers = new Map<PeerName, Ledger>();
  readonly #waiting = new WaitingWants();
  readonly #cache: PresenceCache;
  readonly #recheck: NodeJS.Timeout;
  #wants = 0;
  /** Peers with a message in flight. */
  readonly #active = new Set<Ledger>();
  readonly #rate: ByteRate;
  /** Time of `performance.now()` before which no message begins. */
  #restUntil = 0;
  #rateTimer: NodeJS.Timeout | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#cache = new PresenceCache(options.limits);
    this.#rate = new ByteRate(options.limits.sendBytesPerSecondMax);
    this.#recheck = setInterval(() => void this.#checkAgain(), options.limits.recheckMs / checksPerPass);
    this.#recheck.unref();
  }

  /** Applies the wantlist of a message in steps of one want. Costs no read: answers follow from the queue. */
  *receive(peer: PeerName, message: BitswapMessage): Steps {
    if (this.#isClosed || (message.wants.length === 0 && !message.isFull)) return;
    const ledger = this.#ledgers.get(peer) ?? this.#open(peer);
    if (ledger === undefined) return;
    for (const want of message.isFull ? [...ledger.wants.values()] : []) {
      this.#remove(want);
      yield;
    }
    for (const entry of message.wants) {
      // Dropped since the last step: its wants are no longer counted.
      if (ledger.isClosed) return;
      this.#apply(ledger, entry);
      yield;
    }
    this.#pump();
  }

  /** Reports stored blocks. Waiting peers get them. */
  notify(cids: Iterable<CID>): void {
    for (const cid of cids) {
      const key = blockKey(cid);
      this.#cache.delete(key);
      for (const ledger of this.#active) if (ledger.wants.has(key)) ledger.notified.add(key);
      for (const want of this.#waiting.take(key)) want.ledger.ready.set(key, want);
    }
    this.#pump();
  }

  /** Returns the wantlist of a peer. */
  wantlist(peer: PeerName): CID[] {
    return [...(this.#ledgers.get(peer)?.wants.values() ?? [])].map(({ cid }) => cid);
  }

  /** Number of kept wants of all peers. */
  get wants(): number {
    return this.#wants;
  }

  /** Drops the wants of a peer and its message in flight. */
  drop(peer: PeerName, reason: string): void {
    const ledger = this.#ledgers.get(peer);
    if (ledger === undefined) return;
    this.#ledgers.delete(peer);
    ledger.isClosed = true;
    for (const want of [...ledger.wants.values()]) this.#remove(want);
    ledger.sender.abort(reason);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#recheck);
    clearTimeout(this.#stallTimer);
    clearTimeout(this.#rateTimer);
    for (const peer of [...this.#ledgers.keys()]) this.drop(peer, 'the engine is closed');
  }

  #open(peer: PeerName): Ledger | undefined {
    const { limits, transport, account } = this.#options;
    if (this.#ledgers.size >= limits.peersMax) return undefined;
    const ledger = new Ledger(peer, new MessageSender(transport, limits), account(peer));
    // A new peer starts level with the others: earlier traffic of theirs gives it no credit to starve them.
    let lowest = Number.POSITIVE_INFINITY;
    for (const { virtualBytes } of this.#ledgers.values()) lowest = Math.min(lowest, virtualBytes);
    ledger.virtualBytes = Number.isFinite(lowest) ? lowest : 0;
    this.#ledgers.set(peer, ledger);
    return ledger;
  }

  #apply(ledger: Ledger, entry: WantEntry): void {
    const { limits } = this.#options;
    const key = blockKey(entry.cid);
    const known = ledger.wants.get(key);
    if (entry.isCancel) {
      if (known !== undefined) this.#remove(known);
      return;
    }
    if (known === undefined) {
      if (ledger.wants.size >= limits.wantsPerPeerMax) return;
      if (this.#wants >= limits.wantsMax && ledger.wants.size >= limits.wantsPerPeerMin) return;
      this.#wants++;
    } else this.#waiting.delete(known);
    const want: ServerWant = {
      key,
      cid: entry.cid,
      ledger,
      type: known?.type === 'block' ? 'block' : entry.type,
      priority: entry.priority,
      needsDontHave: entry.sendDontHave,
    };
    ledger.wants.set(key, want);
    ledger.ready.set(key, want);
  }

  #remove(want: ServerWant): void {
    const { ledger, key } = want;
    if (ledger.wants.get(key) !== want) return;
    ledger.wants.delete(key);
    ledger.ready.delete(key);
    this.#waiting.delete(want);
    this.#wants--;
  }

  #pump(): void {
    const { batchBytesMax, sendingBytesMax } = this.#options.limits;
    for (let ledger = this.#next(); ledger !== undefined; ledger = this.#next()) {
      const waitMs = Math.max(this.#rate.waitMs, this.#restUntil - performance.now());
      if (waitMs > 0) {
        this.#pumpLater(waitMs);
        return;
      }
      if (this.#active.size > 0 && (this.#active.size + 1) * batchBytesMax > sendingBytesMax) {
        this.#relieve();
        return;
      }
      this.#active.add(ledger);
      ledger.notified.clear();
      ledger.sendingSince = performance.now();
      void this.#serve(ledger);
      const restMs = this.#options.restMs?.() ?? 0;
      if (restMs > 0) this.#restUntil = performance.now() + restMs;
    }
  }

  #pumpLater(ms: number): void {
    if (this.#isClosed) return;
    this.#rateTimer ??= setTimeout(() => {
      this.#rateTimer = undefined;
      this.#pump();
    }, ms).unref();
  }

  /** Returns the peer with the lowest served share among those with wants to answer and no message in flight. */
  #next(): Ledger | undefined {
    let next: Ledger | undefined;
    for (const ledger of this.#ledgers.values()) {
      if (ledger.ready.size === 0 || ledger.sendingSince !== undefined) continue;
      if (next === undefined || ledger.virtualBytes < next.virtualBytes) next = ledger;
    }
    return next;
  }

  /** Ends messages to stalled readers that keep others from being served. */
  #relieve(): void {
    if (this.#stallTimer !== undefined || this.#isClosed) return;
    const { stallMs } = this.#options.limits;
    this.#stallTimer = setTimeout(() => {
      this.#stallTimer = undefined;
      for (const ledger of this.#active)
        if (performance.now() - (ledger.sendingSince ?? 0) >= stallMs)
          this.#dropStalled(ledger.peer, 'the peer reads too slowly');
      this.#pump();
    }, stallMs);
    this.#stallTimer.unref();
  }

  #dropStalled(peer: PeerName, reason: string): void {
    this.drop(peer, reason);
    this.#options.onStalled(peer);
  }

  async #serve(ledger: Ledger): Promise<void> {
    try {
      const answers = await collectAnswers(ledger, { ...this.#options, cache: this.#cache });
      this.#settleAbsent(answers);
      if (ledger.isClosed) return;
      if (answers.payloads.length > 0 || answers.presences.length > 0) await this.#send(ledger, answers);
      for (const want of answers.done) this.#remove(want);
      ledger.failures = 0;
    } catch (error) {
      this.#options.onError(error);
      if (++ledger.failures >= failuresMax) this.#dropStalled(ledger.peer, 'its messages failed');
    } finally {
      this.#active.delete(ledger);
      ledger.sendingSince = undefined;
      this.#pump();
    }
  }

  async #send(ledger: Ledger, { payloads, presences, bytes }: Answers): Promise<void> {
    const frame = encodeFrame({ isFull: false, wants: [], payloads, presences, pendingBytes: 0 });
    this.#rate.take(bytes + presences.length);
    await ledger.sender.send({ peer: ledger.peer }, frame);
    this.#options.onSent(ledger.account, payloads.length, bytes);
    ledger.charge(bytes + presences.length);
  }

  #settleAbsent({ absent }: Answers): void {
    for (const want of absent) {
      if (want.ledger.wants.get(want.key) !== want) continue;
      want.needsDontHave = false;
      if (want.ledger.notified.has(want.key)) {
        this.#cache.delete(want.key);
        continue;
      }
      want.ledger.ready.delete(want.key);
      this.#waiting.add(want);
    }
  }

  /** Finds blocks whose put was not reported, for example after garbage collection and a write of another process. */
  async #checkAgain(): Promise<void> {
    const { readMax, recheckMax } = this.#options.limits;
    const share = Math.ceil(this.#waiting.size / checksPerPass);
    const wants = this.#waiting.rotate(Math.min(recheckMax, Math.max(readMax, share)));
    if (wants.length === 0) return;
    try {
      const sizes = await this.#options.source.sizes(wants.map(({ cid }) => cid));
      this.notify(wants.filter((_, at) => sizes[at] !== undefined).map(({ cid }) => cid));
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
