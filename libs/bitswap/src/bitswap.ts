import type { BlockExchange, ExchangePeer, ExchangeSession, FetchOptions, Provider } from '@cairn/block-exchange';
import type { BufferPool } from '@cairn/blockstore/core';
import { assertHashAllowed, type CID } from '@cairn/cid';
import { BlockClient } from './client/block-client.ts';
import type { PeerSession } from './client/want.ts';
import { BitswapError } from './errors.ts';
import { ExcludedPeers } from './excluded-peers.ts';
import { type BitswapLimits, bitswapLimits } from './limits.ts';
import type { BlockSource, ProviderSearch, ServingPolicy } from './ports.ts';
import { type Connected, Receiver } from './receiver.ts';
import { BlockServer } from './server/block-server.ts';
import type { Account } from './server/ledger.ts';
import { SlicedSteps, type Steps } from './sliced-steps.ts';
import { type BitswapStats, Statistics } from './statistics.ts';
import type { BitswapTransport, PeerName } from './transport.ts';
import { cidFromPayload, cidFromPayloadInBackground, hashCodeFromPrefix } from './wire/cid-prefix.ts';
import { decodeMessage } from './wire/decode-message.ts';
import type { Payload } from './wire/message.ts';

export interface BitswapOptions {
  readonly transport: BitswapTransport;
  readonly source: BlockSource;
  /** Default: every stored block is served. */
  readonly policy?: ServingPolicy;
  /** Searches providers for wants that no known peer serves. */
  readonly search?: ProviderSearch;
  readonly limits?: Partial<BitswapLimits>;
  /** Lends the memory of long messages. A fetch with the same `buffers` may get its block in a lent buffer. */
  readonly buffers?: BufferPool;
  /**
   * Returns the milliseconds from the begin of a message of blocks to that of the next one, because other work needs the
   * processor. Called at the begin of each message. Default: 0, no limit.
   */
  readonly restMs?: () => number;
  /** Called with errors of streams, stores and searches in the background. */
  readonly onError?: (error: unknown) => void;
  /** Called when a peer is excluded after a wrong block or an invalid message. */
  readonly onExcluded?: (peer: PeerName, reason: unknown) => void;
}

/** Bitswap engine: client and server over one transport. A fetch resolves with verified bytes. The caller stores them. */
export interface Bitswap extends BlockExchange {
  stats(): BitswapStats;
  /** Returns the blocks that this engine waits for, or those that a peer asked for. */
  wantlist(peer?: PeerName): CID[];
  /** Returns the traffic with a peer. */
  ledger(peer: PeerName): Readonly<Account>;
}

/** Starts an engine on a transport. */
export async function openBitswap(options: BitswapOptions): Promise<Bitswap> {
  const engine = new Engine(options);
  await engine.start();
  return engine;
}

/**
 * Times after the start at which connected peers are greeted again, in milliseconds. A peer that still retries a stream to the
 * earlier engine takes this side for dead after the first greeting, and asks again only after the next message.
 */
const startGreetingsMs = [1000, 4000, 15_000];

/** Time between greetings of one peer, in milliseconds. */
const greetMs = 1000;

/** Bytes of a block from which it is hashed outside of the slices, in another thread if one is free. */
const backgroundBytesMin = 128 * 1024;

class Engine implements Bitswap {
  readonly #options: BitswapOptions;
  readonly #limits: BitswapLimits;
  readonly #client: BlockClient;
  readonly #server: BlockServer;
  readonly #receiver: Receiver;
  readonly #excluded: ExcludedPeers;
  readonly #statistics = new Statistics();
  readonly #work = new SlicedSteps();
  readonly #greeted = new Set<PeerName>();
  #greetTimer: NodeJS.Timeout | undefined;
  #startTimers: readonly NodeJS.Timeout[] = [];
  #closing: Promise<void> | undefined;

  constructor(options: BitswapOptions) {
    this.#options = options;
    this.#limits = { ...bitswapLimits, ...options.limits };
    const limits = this.#limits;
    const onError = options.onError ?? (() => {});
    this.#excluded = new ExcludedPeers(limits);
    const isExcluded = (peer: PeerName) => this.#excluded.has(peer);
    const { transport, source, search } = options;
    const policy = options.policy ?? { mayServe: (cids: readonly CID[]) => cids.map(() => true) };
    const account = (peer: PeerName) => this.#statistics.account(peer);
    const onSent = (to: Account, blocks: number, bytes: number) => this.#statistics.sent(to, blocks, bytes);
    const { buffers } = options;
    this.#client = new BlockClient({ transport, limits, search, buffers, isExcluded, onError });
    const onStalled = (peer: PeerName) => void this.#disconnect(peer);
    const { restMs } = options;
    this.#server = new BlockServer({ transport, limits, source, policy, account, onSent, onStalled, onError, restMs });
    this.#receiver = new Receiver({
      limits,
      buffers,
      onMessage: (peer, bytes, connected) => this.#receive(peer, bytes, connected),
      onInvalid: (peer, error) => this.#exclude(peer, error),
      onEnded: (peer) => this.#greetLater(peer),
      onError,
    });
  }

  async start(): Promise<void> {
    // Peers that are connected already may have taken an earlier engine of this node for dead.
    let isStarting = true;
    const connected: PeerName[] = [];
    await this.#options.transport.start({
      onConnected: (peer) => {
        if (this.#excluded.has(peer)) {
          void this.#disconnect(peer);
          return;
        }
        this.#client.connected(peer);
        if (!isStarting) return;
        connected.push(peer);
        this.#client.greet(peer, { isFull: true });
      },
      onDisconnected: (peer) => {
        this.#client.disconnected(peer);
        this.#receiver.disconnected(peer);
        this.#server.drop(peer, 'the peer is disconnected');
      },
      onStream: (peer, stream) => {
        if (this.#excluded.has(peer)) stream.abort(new Error('the peer is excluded'));
        else this.#receiver.accept(peer, stream);
      },
    });
    isStarting = false;
    if (connected.length === 0) return;
    const greetAll = () => {
      for (const peer of connected) this.#client.greet(peer, { isFull: true });
    };
    this.#startTimers = startGreetingsMs.map((ms) => setTimeout(greetAll, ms).unref());
  }

  fetch(cid: CID, options: FetchOptions = {}): Promise<Uint8Array> {
    return this.#fetch(cid, this.#client.commonSession, options);
  }

  openSession({ providers = [] }: { readonly providers?: readonly Provider[] } = {}): ExchangeSession {
    const session = this.#client.createSession();
    const addProviders = (list: readonly Provider[]) => this.#client.addProviders(session, list);
    addProviders(providers);
    return {
      fetch: (cid, options = {}) => this.#fetch(cid, session, options),
      addProviders,
      close: () => session.close(),
    };
  }

  announce(cids: readonly CID[]): void {
    this.#server.notify(cids);
  }

  peers(): readonly ExchangePeer[] {
    return this.#statistics.peers();
  }

  stats(): BitswapStats {
    return { ...this.#statistics.counters, wantlist: this.#client.wantlist.length, peersWants: this.#server.wants };
  }

  wantlist(peer?: PeerName): CID[] {
    return peer === undefined ? this.#client.wantlist : this.#server.wantlist(peer);
  }

  ledger(peer: PeerName): Readonly<Account> {
    return this.#statistics.ledger(peer);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // The fetches end first: their callers do not wait for the transport.
    this.#client.close();
    this.#server.close();
    for (const timer of [this.#greetTimer, ...this.#startTimers]) clearTimeout(timer);
    await this.#options.transport.stop();
    this.#receiver.close();
  }

  async #fetch(cid: CID, session: PeerSession, options: FetchOptions): Promise<Uint8Array> {
    assertHashAllowed(cid.multihash);
    if (cid.multihash.code === 0) return cid.multihash.digest;
    return this.#client.fetch(cid, session, options);
  }

  async #receive(peer: PeerName, bytes: Uint8Array, connected: Connected): Promise<void> {
    const payloads = await this.#work.run(this.#handle(peer, bytes, connected), peer);
    if (payloads.length === 0) return;
    const cids: (CID | undefined)[] = [];
    for (const [at, payload] of payloads.entries()) {
      if (payload.bytes.length < backgroundBytesMin) continue;
      this.#assertExpected(peer, payload);
      cids[at] = await cidFromPayloadInBackground(payload);
    }
    // Excluded meanwhile because of another message. A second exclusion would last longer.
    if (!this.#excluded.has(peer)) await this.#work.run(this.#deliverAll(peer, payloads, cids, bytes.length));
  }

  /** Applies a message up to its blocks, which it returns. */
  *#handle(peer: PeerName, bytes: Uint8Array, connected: Connected): Steps<readonly Payload[]> {
    const message = yield* decodeMessage(bytes, this.#limits);
    this.#statistics.counters.messagesReceived++;
    yield* this.#client.presences(peer, message.presences);
    // The wants of a disconnected peer would stay: its disconnection was reported before.
    if (!connected.isClosed) yield* this.#server.receive(peer, message);
    return message.payloads;
  }

  /** Delivers blocks. Those without a CID are hashed. */
  *#deliverAll(
    peer: PeerName,
    payloads: readonly Payload[],
    cids: readonly (CID | undefined)[],
    messageBytes: number,
  ): Steps {
    const account = this.#statistics.account(peer);
    for (const [at, payload] of payloads.entries()) {
      this.#assertExpected(peer, payload);
      const isWanted = this.#deliver(peer, payload, cids[at] ?? cidFromPayload(payload), messageBytes);
      this.#statistics.received(account, payload.bytes.length, !isWanted);
      yield;
    }
  }

  /** @throws BITSWAP_MESSAGE_INVALID for a hash function that no requested block has */
  #assertExpected(peer: PeerName, { prefix }: Payload): void {
    if (!this.#client.mayDeliver(peer, hashCodeFromPrefix(prefix))) throw notRequested(peer);
  }

  /**
   * Ends the want of a verified block. Returns false for a block that is no longer wanted.
   * @throws BITSWAP_MESSAGE_INVALID for a block never requested
   */
  #deliver(peer: PeerName, payload: Payload, cid: CID, messageBytes: number): boolean {
    const want = this.#client.arrived(peer, cid);
    if (want === 'wrong') throw notRequested(peer);
    if (want === 'late') return false;
    // A small view would keep its whole message in memory. At most one block is the larger part of its message.
    const isSmall = payload.bytes.length * 2 < messageBytes;
    if (!isSmall && !want.mayLend) this.#options.buffers?.keep(payload.bytes);
    want.resolve(isSmall ? payload.bytes.slice() : payload.bytes);
    return true;
  }

  /** Greets peers whose streams this side has ended, each at most once per {@link greetMs}. */
  #greetLater(peer: PeerName): void {
    this.#greeted.add(peer);
    this.#greetTimer ??= setTimeout(() => {
      this.#greetTimer = undefined;
      for (const name of this.#greeted) this.#client.greet(name, { isFull: false });
      this.#greeted.clear();
    }, greetMs).unref();
  }

  #exclude(peer: PeerName, reason: unknown): void {
    this.#excluded.add(peer);
    this.#receiver.drop(peer);
    this.#client.drop(peer);
    this.#server.drop(peer, 'the peer is excluded');
    this.#options.onExcluded?.(peer, reason);
    void this.#disconnect(peer);
  }

  async #disconnect(peer: PeerName): Promise<void> {
    try {
      await this.#options.transport.disconnect(peer);
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}

function notRequested(peer: PeerName): BitswapError {
  return new BitswapError('BITSWAP_MESSAGE_INVALID', `Peer ${peer} sent a block that was not requested of it.`);
}
