import type { FetchOptions, Provider } from '@cairn/block-exchange';
import type { BufferPool } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { blockKey } from '../block-key.ts';
import { BitswapError } from '../errors.ts';
import type { BitswapLimits } from '../limits.ts';
import type { ProviderSearch } from '../ports.ts';
import type { Steps } from '../sliced-steps.ts';
import type { BitswapTransport, PeerName } from '../transport.ts';
import type { Presence } from '../wire/message.ts';
import { ProviderSearches } from './provider-searches.ts';
import { RemotePeers } from './remote-peers.ts';
import { RequestPlanner } from './request-planner.ts';
import { Session } from './session.ts';
import { closed, untilEnded } from './until-ended.ts';
import { type Peer, type PeerSession, type View, Want } from './want.ts';

/** Checks of deadlines in the shortest deadline. */
const ticksPerRequest = 10;

/** Wants that one check examines, about 3 ms of work. With more of them, several checks take turns. */
const wantsPerTick = 2048;

interface ClientOptions {
  readonly transport: BitswapTransport;
  readonly limits: BitswapLimits;
  readonly search: ProviderSearch | undefined;
  /** Pool whose buffers have the bytes of long blocks. */
  readonly buffers: BufferPool | undefined;
  readonly isExcluded: (peer: PeerName) => boolean;
  readonly onError: (error: unknown) => void;
}

/** Requests blocks from peers. Receives only blocks whose bytes were verified. */
export class BlockClient {
  /** Session of fetches that name none. Connected peers are part of it. */
  readonly commonSession: PeerSession;
  readonly #options: ClientOptions;
  readonly #wants = new Map<string, Want>();
  readonly #peers: RemotePeers;
  readonly #planner: RequestPlanner;
  readonly #searches: ProviderSearches;
  #timer: NodeJS.Timeout | undefined;
  /** Wants that the current turn of checks has not examined. */
  #unexamined: Iterator<Want> | undefined;
  #isClosed = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.commonSession = new Session<Peer>(options.limits.sessionPeersMax);
    this.#planner = new RequestPlanner(options.limits);
    this.#peers = new RemotePeers({ ...options, onFailure: (peer, error) => this.#onFailure(peer, error) });
    this.#searches = new ProviderSearches({
      ...options,
      onProvider: (want, provider) => {
        for (const session of want.sessions()) this.addProviders(session, [provider]);
      },
    });
  }

  get wantlist(): CID[] {
    return [...this.#wants.values()].map(({ cid }) => cid);
  }

  createSession(): PeerSession {
    const session = new Session<Peer>(this.#options.limits.sessionPeersMax);
    for (const peer of this.#peers.all()) if (peer.isConnected) session.add(peer);
    return session;
  }

  async fetch(cid: CID, session: PeerSession, options: FetchOptions): Promise<Uint8Array> {
    options.signal?.throwIfAborted();
    if (this.#isClosed || session.isClosed) throw closed();
    const want = this.#wants.get(blockKey(cid)) ?? this.#open(cid);
    const takesLent = options.buffers !== undefined && options.buffers === this.#options.buffers;
    want.join(session, { takesLent });
    if (options.providers !== undefined) this.addProviders(session, options.providers);
    this.#planner.drive(want);
    try {
      return await untilEnded(want.bytes, session, options.signal);
    } finally {
      want.leave(session, { takesLent });
      if (!want.hasWaiters && !want.isArrived) this.#end(want);
    }
  }

  /** Adds peers to a session. Its waiting wants are asked of them. */
  addProviders(session: PeerSession, providers: readonly Provider[]): void {
    for (const { peer: name, addresses } of providers) {
      // An HTTP gateway has no peer name.
      if (name === undefined || this.#options.isExcluded(name)) continue;
      const peer = this.#peers.of({ peer: name, ...(addresses !== undefined && { addresses }) });
      if (peer !== undefined && session.add(peer)) this.#driveAll(session);
    }
  }

  connected(name: PeerName): void {
    const peer = this.#peers.of({ peer: name });
    if (peer === undefined) return;
    peer.isConnected = true;
    peer.restUntil = 0;
    const sessions = new Set([this.commonSession]);
    for (const want of this.#wants.values()) for (const session of want.sessions()) sessions.add(session);
    for (const session of sessions) session.add(peer);
    for (const want of this.#wants.values()) this.#planner.drive(want);
  }

  /** Sends a message without entries to a connected peer. */
  greet(name: PeerName, options: { readonly isFull: boolean }): void {
    const peer = this.#peers.get(name);
    if (peer?.isConnected) peer.greet(options);
  }

  /** Forgets the requests to a peer, whose side forgets them too. */
  disconnected(name: PeerName): void {
    const peer = this.#peers.get(name);
    if (peer === undefined) return;
    peer.isConnected = false;
    peer.reset('the peer is disconnected');
    this.#release(peer);
  }

  /** Removes a peer from all sessions. */
  drop(name: PeerName): void {
    const peer = this.#peers.get(name);
    if (peer === undefined) return;
    this.#peers.delete(peer);
    peer.isDropped = true;
    peer.reset('the peer is excluded');
    this.#release(peer);
  }

  /** Reports whether this peer may send a block with a hash function: whether one was requested of it. */
  mayDeliver(name: PeerName, hashCode: number): boolean {
    return this.#peers.get(name)?.hashCodes.has(hashCode) === true;
  }

  /**
   * Takes a verified block. Returns its want, which has ended, `late` for a block that was requested earlier, and `wrong` for a
   * block that was never requested of this peer.
   */
  arrived(name: PeerName, cid: CID): Want | 'late' | 'wrong' {
    const key = blockKey(cid);
    const want = this.#wants.get(key);
    const peer = this.#peers.get(name);
    if (want === undefined) return peer?.wasAsked(key) ? 'late' : 'wrong';
    this.#wants.delete(key);
    want.isArrived = true;
    if (peer !== undefined) this.#credit(peer, want);
    this.#withdraw(want, peer);
    return want;
  }

  *presences(name: PeerName, presences: readonly Presence[]): Steps {
    const peer = this.#peers.get(name);
    if (peer === undefined) return;
    for (const { cid, has } of presences) {
      yield;
      const want = this.#wants.get(blockKey(cid));
      const view = want?.views.get(peer);
      if (want === undefined || view === undefined || want.isArrived) continue;
      if (has) {
        peer.isProductive = true;
        // A positive answer to a want-block is not the block: the request stays open.
        if (view.state !== 'asked-block') view.state = 'has';
      } else this.#answer(peer, view, 'lacks', this.#options.limits.requestMsMax);
      this.#planner.drive(want);
    }
    this.#fill(peer);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const want of [...this.#wants.values()]) {
      want.reject(closed());
      this.#end(want);
    }
    for (const peer of this.#peers.all()) peer.reset('the engine is closed');
  }

  #open(cid: CID): Want {
    const { fetchesMax, requestMsMin } = this.#options.limits;
    if (this.#wants.size >= fetchesMax) {
      throw new BitswapError('BITSWAP_FETCHES_EXCEEDED', `${this.#wants.size} blocks are being fetched.`, {
        hint: 'Wait for some of them first.',
        details: { limit: fetchesMax },
      });
    }
    const want = new Want(cid);
    this.#wants.set(want.key, want);
    this.#timer ??= setInterval(() => this.#tick(), Math.max(1, requestMsMin / ticksPerRequest)).unref();
    return want;
  }

  #driveAll(session: PeerSession): void {
    for (const want of this.#wants.values()) if (want.isOf(session)) this.#planner.drive(want);
  }

  /** Counts a delivery: the window grows, and the peer is preferred from now on. */
  #credit(peer: Peer, want: Want): void {
    peer.isProductive = true;
    peer.deliveredAt = performance.now();
    for (const session of want.sessions()) session.add(peer);
    peer.window = Math.min(this.#options.limits.inFlightMax, peer.window + 1);
  }

  /** Ends all requests of a want. Peers other than its sender get a cancel. */
  #withdraw(want: Want, sender?: Peer): void {
    this.#searches.end(want);
    for (const peer of want.candidates()) peer.backlog.delete(want);
    for (const [peer, view] of want.views) {
      if (view.state === 'asked-block') peer.inFlight--;
      peer.wants.delete(want);
      peer.backlog.delete(want);
      if (peer !== sender)
        peer.queue({ cid: want.cid, priority: 0, isCancel: true, type: 'block', sendDontHave: false });
    }
    const peers = [...want.views.keys()];
    want.views.clear();
    for (const peer of peers) this.#fill(peer);
  }

  #end(want: Want): void {
    if (this.#wants.get(want.key) === want) this.#wants.delete(want.key);
    want.isArrived = true;
    this.#withdraw(want);
  }

  /** Starts requests that waited for room in the window of a peer. */
  #fill(peer: Peer): void {
    for (const want of peer.backlog) {
      if (!peer.hasRoom) return;
      peer.backlog.delete(want);
      this.#planner.drive(want);
    }
  }

  #answer(peer: Peer, view: View, state: 'lacks' | 'late', ms: number): void {
    if (view.state === 'asked-block') peer.inFlight--;
    view.state = state;
    view.until = performance.now() + ms;
  }

  #onFailure(peer: Peer, error: unknown): void {
    this.#options.onError(error);
    const { requestMsMin, requestMsMax } = this.#options.limits;
    peer.restUntil = performance.now() + Math.min(requestMsMax, (requestMsMin / 5) * 2 ** Math.min(peer.failures, 8));
    this.#release(peer);
  }

  /** Gives the requests of a peer to others. */
  #release(peer: Peer): void {
    const wants = [...peer.wants, ...peer.backlog];
    peer.wants.clear();
    peer.backlog.clear();
    peer.inFlight = 0;
    for (const want of wants) want.views.delete(peer);
    for (const want of wants) this.#planner.drive(want);
  }

  #tick(): void {
    if (this.#wants.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#unexamined = undefined;
      return;
    }
    const now = performance.now();
    // The iterator of the map continues over wants that are added or removed meanwhile.
    this.#unexamined ??= this.#wants.values();
    for (let examined = 0; examined < wantsPerTick; examined++) {
      const { value: want, done } = this.#unexamined.next();
      if (done) {
        this.#unexamined = undefined;
        break;
      }
      this.#examine(want, now);
    }
    for (const peer of this.#peers.all()) if (peer.backlog.size > 0) this.#fill(peer);
  }

  #examine(want: Want, now: number): void {
    if (want.isArrived) return;
    for (const [peer, view] of want.views) this.#expire(peer, view, now);
    this.#planner.drive(want);
    if (!want.isRequested) this.#searches.consider(want, now);
  }

  #expire(peer: Peer, view: View, now: number): void {
    if ((view.state !== 'asked-have' && view.state !== 'asked-block') || view.until > now) return;
    const { requestMsMin, requestMsMax } = this.#options.limits;
    // A peer that delivers other blocks may have this one in its queue.
    const isBusy = now - peer.deliveredAt < requestMsMin && now - view.since < requestMsMax;
    if (view.state === 'asked-block' && isBusy) return;
    if (view.state === 'asked-block') peer.window = Math.max(1, Math.floor(peer.window / 2));
    this.#answer(peer, view, 'late', 0);
  }
}
