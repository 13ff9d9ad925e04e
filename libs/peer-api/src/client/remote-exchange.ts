import {
  type BlockExchange,
  type Delivery,
  type ExchangePeer,
  type ExchangeSession,
  type FetchOptions,
  type LinkedAbort,
  linkAbort,
  type Provider,
} from '@cairn/block-exchange';
import { assertHashAllowed, type CID } from '@cairn/cid';
import { errorFromWire, PeerApiError } from '../errors.ts';
import { peerApiLimits } from '../limits.ts';
import type { NumberedBlock } from '../wire/block-frames.ts';
import type { FetchReport } from '../wire/fetch-messages.ts';
import { FetchSocket } from './fetch-socket.ts';
import type { TokenSource } from './http-calls.ts';
import { Want } from './want.ts';

const { wantsMax, fetchesMax, sessionsMax, providersMax, addressesMax, announcesMax, cidsMax } = peerApiLimits;

/** Session of fetches outside of a session, and of sessions beyond the limit. */
const commonSession = 0;

export interface RemoteExchangeOptions {
  readonly url: string;
  readonly token: TokenSource;
}

/**
 * Fetches blocks through the process of the peer. Open fetches survive its restart: each new connection requests them
 * again. The process of the peer verifies the bytes. `withExchange` verifies them again and stores them.
 */
export class RemoteExchange implements BlockExchange {
  readonly #socket: FetchSocket;
  /** Open wants by session and block. */
  readonly #wants = new Map<string, Want>();
  readonly #sent = new Map<number, Want>();
  readonly #unsent = new Set<Want>();
  readonly #sessions = new Map<number, Provider[]>();
  #announced: CID[] = [];
  #peers: readonly ExchangePeer[] = [];
  #lastId = 0;
  #lastSession = commonSession;
  #isClosed = false;

  constructor({ url, token }: RemoteExchangeOptions) {
    this.#socket = new FetchSocket({
      url,
      token,
      onOpen: () => this.#restore(),
      onReport: (report) => this.#handle(report),
      onBlock: (block) => this.#receive(block),
    });
  }

  fetch(cid: CID, options: FetchOptions = {}): Promise<Uint8Array> {
    return this.#fetchBytes(cid, commonSession, options);
  }

  openSession({ providers = [] }: { readonly providers?: readonly Provider[] } = {}): ExchangeSession {
    const isCommon = this.#sessions.size >= sessionsMax;
    const id = isCommon ? commonSession : ++this.#lastSession;
    const known = bounded(providers);
    const open = new Set<LinkedAbort>();
    if (!isCommon) {
      this.#sessions.set(id, known);
      this.#socket.send({ type: 'open', session: id, providers: known });
    }
    let isClosed = false;
    const run = async <T>(options: FetchOptions, fetch: (within: FetchOptions) => Promise<T>): Promise<T> => {
      if (isClosed) throw closed('The session is closed.');
      const ended = linkAbort(options.signal);
      open.add(ended);
      const hints = isCommon ? [...known, ...(options.providers ?? [])] : options.providers;
      try {
        return await fetch({ signal: ended.signal, ...(hints !== undefined && { providers: hints }) });
      } finally {
        ended.unlink();
        open.delete(ended);
      }
    };
    return {
      fetch: (cid, options = {}) => run(options, (within) => this.#fetchBytes(cid, id, within)),
      fetchStored: (cid, options = {}) => run(options, (within) => this.#fetch(cid, id, within, true)),
      addProviders: (added) => {
        const fresh = bounded(added).slice(0, Math.max(0, providersMax - known.length));
        known.push(...fresh);
        if (!isCommon && !isClosed && fresh.length > 0)
          this.#socket.send({ type: 'providers', session: id, providers: fresh });
      },
      close: () => {
        isClosed = true;
        for (const ended of open) ended.abort(closed('The session was closed.'));
        if (this.#sessions.delete(id)) this.#socket.send({ type: 'close', session: id });
      },
    };
  }

  announce(cids: readonly CID[]): void {
    this.#announced.push(...cids.slice(0, announcesMax));
    this.#announced = this.#announced.slice(-announcesMax);
    if (this.#socket.isOpen) this.#sendAnnounced();
  }

  #sendAnnounced(): void {
    for (let at = 0; at < this.#announced.length; at += cidsMax)
      this.#socket.send({ type: 'announce', cids: this.#announced.slice(at, at + cidsMax) });
    this.#announced = [];
  }

  peers(): readonly ExchangePeer[] {
    return this.#peers;
  }

  unreachableMs(): number {
    return this.#socket.unreachableMs;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const want of this.#wants.values()) want.reject(closed('The service is shutting down.'));
    this.#wants.clear();
    this.#sent.clear();
    this.#unsent.clear();
    await this.#socket.close();
  }

  async #fetchBytes(cid: CID, session: number, options: FetchOptions): Promise<Uint8Array> {
    const delivery = await this.#fetch(cid, session, options, false);
    if ('bytes' in delivery) return delivery.bytes;
    throw new PeerApiError('PEER_FAULT', `The IPFS peer stored block ${cid} instead of sending it.`, {
      hint: 'Run the services and the peer from the same version of Cairn.',
    });
  }

  async #fetch(
    cid: CID,
    session: number,
    { signal, providers = [] }: FetchOptions,
    isStored: boolean,
  ): Promise<Delivery> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed('The service is shutting down.');
    assertHashAllowed(cid.multihash);
    if (cid.multihash.code === 0) return { bytes: cid.multihash.digest };
    const key = `${session} ${isStored ? 'stored ' : ''}${cid}`;
    const known = this.#wants.get(key);
    if (known !== undefined) return await this.#join(known, signal, providers);
    if (this.#wants.size >= fetchesMax) throw tooManyFetches();
    const want = new Want(cid, session, key, isStored, bounded(providers));
    this.#wants.set(key, want);
    this.#unsent.add(want);
    const delivery = this.#wait(want, signal);
    this.#pump();
    return await delivery;
  }

  #join(want: Want, signal: AbortSignal | undefined, providers: readonly Provider[]): Promise<Delivery> {
    if (providers.length > 0) {
      want.providers = bounded([...want.providers, ...providers]);
      // A second want of the block in the peer shares its request and adds the providers.
      if (want.isSent) this.#resend(want);
    }
    return this.#wait(want, signal);
  }

  #wait(want: Want, signal: AbortSignal | undefined): Promise<Delivery> {
    return want.wait(signal, () => {
      if (want.isAbandoned) this.#drop(want);
    });
  }

  #drop(want: Want): void {
    if (this.#wants.get(want.key) === want) this.#wants.delete(want.key);
    this.#unsent.delete(want);
    if (this.#sent.delete(want.id)) this.#socket.send({ type: 'cancel', id: want.id });
    this.#pump();
  }

  /** Requests a sent want again under another number. The earlier request ends after it, so that both share one search. */
  #resend(want: Want): void {
    const earlier = want.id;
    this.#sent.delete(earlier);
    want.isSent = false;
    this.#unsent.add(want);
    this.#pump();
    this.#socket.send({ type: 'cancel', id: earlier });
  }

  #pump(): void {
    if (!this.#socket.isOpen) return;
    for (const want of this.#unsent) {
      if (this.#sent.size >= wantsMax) return;
      this.#unsent.delete(want);
      want.id = ++this.#lastId;
      want.isSent = true;
      this.#sent.set(want.id, want);
      const { id, session, cid, providers, isStored } = want;
      const hints = providers.length > 0 && { providers: [...providers] };
      this.#socket.send({ type: 'want', id, session, cid, ...hints, ...(isStored && { isStored }) });
    }
  }

  /** Sends sessions and open wants to a new connection. */
  #restore(): void {
    for (const [session, providers] of this.#sessions) this.#socket.send({ type: 'open', session, providers });
    for (const want of this.#sent.values()) {
      want.isSent = false;
      this.#unsent.add(want);
    }
    this.#sent.clear();
    this.#pump();
    this.#sendAnnounced();
  }

  #handle(report: FetchReport): void {
    if (report.type === 'peers') {
      this.#peers = report.peers;
      return;
    }
    const want = this.#take(report.id);
    if (want === undefined) return;
    if (report.type === 'stored') this.#settle(want, (open) => open.resolve({ storedBytes: report.bytes }));
    else this.#settle(want, (open) => open.reject(errorFromWire(report.error)));
  }

  #receive({ id, bytes }: NumberedBlock): void {
    const want = this.#take(id);
    if (want !== undefined) this.#settle(want, (open) => open.resolve({ bytes }));
  }

  /** Returns the want of an answer, and sends a waiting one in its place. */
  #take(id: number): Want | undefined {
    const want = this.#sent.get(id);
    if (want === undefined) return undefined;
    this.#sent.delete(id);
    this.#pump();
    return want;
  }

  #settle(want: Want, how: (want: Want) => void): void {
    if (this.#wants.get(want.key) === want) this.#wants.delete(want.key);
    how(want);
  }
}

/** Cuts lists to the limits of the protocol. */
function bounded(providers: readonly Provider[]): Provider[] {
  return providers.slice(-providersMax).map(({ peer, addresses }) => ({
    ...(peer !== undefined && { peer }),
    ...(addresses !== undefined && { addresses: addresses.slice(0, addressesMax) }),
  }));
}

function closed(message: string): PeerApiError {
  return new PeerApiError('PEER_CLOSED', message);
}

function tooManyFetches(): PeerApiError {
  return new PeerApiError('PEER_FETCHES_EXCEEDED', `The service has ${fetchesMax} open fetches.`, {
    hint: 'Try again when others have ended.',
  });
}
