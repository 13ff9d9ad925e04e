import type { BlockExchange, ExchangeSession, FetchOptions } from '@cairn/block-exchange';
import type { Block, BufferPool } from '@cairn/blockstore/core';
import type { WebSocket } from 'ws';
import { PeerApiError, wireErrorFrom } from '../errors.ts';
import { peerApiLimits } from '../limits.ts';
import { type FetchReport, type FetchRequest, fetchRequests } from '../wire/fetch-messages.ts';
import { MessageSender } from '../wire/message-sender.ts';
import { BlockSender } from './block-sender.ts';

const { wantsMax, sessionsMax, reportMs, reportedPeersMax, silenceMs, heldBytesMax, unreadBytesMax } = peerApiLimits;

/** WebSocket close code of a message that is not valid (RFC 6455, 7.4.1). */
const invalidMessage = 1007;

type WantRequest = Extract<FetchRequest, { type: 'want' }>;

/** Want of the service. `ended` is absent while it waits for the service to read. */
interface OpenWant {
  readonly request: WantRequest;
  ended?: AbortController;
}

/** Stores a verified block durably in the store that the services read. */
export type StoreBlock = (block: Block) => Promise<void>;

export interface FetchConnectionOptions {
  readonly exchange: BlockExchange;
  /** Absent if the peer has no store in common with the services. */
  readonly store?: StoreBlock | undefined;
  /** Buffers of blocks that are stored. The store gives them back. */
  readonly buffers?: BufferPool | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves the fetches of one connection. Verified blocks go to the service, which stores them, or are stored
 * here if the service needs no bytes. Unread blocks are bounded: at
 * {@link heldBytesMax} no further fetch begins, and at {@link unreadBytesMax} running ones end and begin again later. The end of
 * the connection cancels all: the service requests them again on its next connection.
 */
export class FetchConnection {
  readonly #socket: WebSocket;
  readonly #exchange: BlockExchange;
  readonly #store: StoreBlock | undefined;
  readonly #buffers: BufferPool | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #messages: MessageSender<FetchReport>;
  readonly #blocks: BlockSender;
  readonly #sessions = new Map<number, ExchangeSession>();
  readonly #wants = new Map<number, OpenWant>();
  /** Wants whose fetch waits until the service has read blocks. */
  readonly #held = new Set<OpenWant>();
  readonly #timer: NodeJS.Timeout;
  /** Bytes of blocks that are being stored. */
  #storingBytes = 0;
  #progressAt = performance.now();

  constructor(socket: WebSocket, { exchange, store, buffers, onError }: FetchConnectionOptions) {
    this.#socket = socket;
    this.#exchange = exchange;
    this.#store = store;
    this.#buffers = buffers;
    this.#onError = onError;
    this.#messages = new MessageSender(socket);
    this.#blocks = new BlockSender(socket, () => {
      this.#progressAt = performance.now();
      this.#startHeld();
    });
    this.#timer = setInterval(() => this.#report(), reportMs).unref();
    socket.on('message', (data) => this.#read(String(data)));
    socket.on('close', () => this.#end());
    // The close event follows.
    socket.on('error', () => socket.terminate());
    this.#report();
  }

  #read(frame: string): void {
    let requests: FetchRequest[];
    try {
      requests = fetchRequests.parse(JSON.parse(frame));
    } catch (error) {
      this.#onError(error);
      this.#socket.close(invalidMessage, 'expected a list of messages');
      return;
    }
    for (const request of requests) this.#handle(request);
    this.#pauseWhileBlocked();
  }

  /** Stops to read from a service that does not read its answers. */
  #pauseWhileBlocked(): void {
    if (!this.#messages.isFull || this.#socket.isPaused) return;
    this.#socket.pause();
    const timer = setInterval(() => {
      if (this.#messages.isFull && this.#socket.readyState === this.#socket.OPEN) return;
      clearInterval(timer);
      this.#socket.resume();
    }, 10);
  }

  #handle(request: FetchRequest): void {
    switch (request.type) {
      case 'open':
        if (this.#sessions.size >= sessionsMax || this.#sessions.has(request.session)) return;
        this.#sessions.set(request.session, this.#exchange.openSession({ providers: request.providers }));
        return;
      case 'providers':
        this.#sessions.get(request.session)?.addProviders(request.providers);
        return;
      case 'close':
        this.#sessions.get(request.session)?.close();
        this.#sessions.delete(request.session);
        return;
      case 'want':
        this.#want(request);
        return;
      case 'cancel':
        this.#cancel(request.id);
        return;
      case 'announce':
        this.#exchange.announce(request.cids);
        return;
      default:
        request satisfies never;
    }
  }

  #want(request: WantRequest): void {
    if (this.#wants.has(request.id)) return;
    if (this.#wants.size >= wantsMax) {
      this.#fail(request.id, tooManyWants());
      return;
    }
    const want: OpenWant = { request };
    this.#wants.set(request.id, want);
    this.#held.add(want);
    this.#startHeld();
  }

  #cancel(id: number): void {
    const want = this.#wants.get(id);
    if (want === undefined) return;
    this.#wants.delete(id);
    this.#held.delete(want);
    want.ended?.abort(new PeerApiError('PEER_CLOSED', 'The service ended the fetch.'));
  }

  #startHeld(): void {
    for (const want of this.#held) {
      if (this.#keptBytes > heldBytesMax) return;
      this.#held.delete(want);
      void this.#fetch(want);
    }
  }

  async #fetch(want: OpenWant): Promise<void> {
    const { id, session, cid, providers, isStored } = want.request;
    const ended = new AbortController();
    want.ended = ended;
    const from: { fetch: BlockExchange['fetch'] } = this.#sessions.get(session) ?? this.#exchange;
    const options: FetchOptions = {
      signal: ended.signal,
      ...(providers !== undefined && { providers }),
      ...(isStored && this.#store !== undefined && this.#buffers !== undefined && { buffers: this.#buffers }),
    };
    try {
      const bytes = await from.fetch(cid, options);
      if (this.#isCurrent(want, ended)) await this.#deliver(want.request, bytes);
    } catch (error) {
      if (!this.#isCurrent(want, ended)) return;
      this.#wants.delete(id);
      this.#fail(id, error);
    }
  }

  /** False after a cancel, and after the fetch was put back. */
  #isCurrent(want: OpenWant, ended: AbortController): boolean {
    return this.#wants.get(want.request.id) === want && want.ended === ended;
  }

  async #deliver({ id, cid, isStored }: WantRequest, bytes: Uint8Array): Promise<void> {
    this.#wants.delete(id);
    const lentBy = this.#buffers?.isLent(bytes) ? this.#buffers : undefined;
    if (isStored && (await this.#keep({ cid, bytes, lentBy })))
      this.#messages.send({ type: 'stored', id, bytes: bytes.length });
    else if (lentBy === undefined) this.#blocks.send({ id, bytes });
    // The store may write the block again later, and would give the buffer back while it is sent.
    else if (lentBy.isLent(bytes)) this.#blocks.send({ id, bytes: bytes.slice() });
    else this.#fail(id, new Error('The store refused a block whose buffer it has given back.'));
    if (this.#keptBytes > unreadBytesMax) this.#hold();
  }

  /** Bytes of blocks that are being stored, or that the service has not read. */
  get #keptBytes(): number {
    return this.#storingBytes + this.#blocks.unreadBytes;
  }

  /** Stores a block. Returns false if the service must do it. */
  async #keep(block: Block): Promise<boolean> {
    if (this.#store === undefined) return false;
    this.#storingBytes += block.bytes.length;
    if (this.#keptBytes > unreadBytesMax) this.#hold();
    try {
      await this.#store(block);
      return true;
    } catch (error) {
      this.#onError(error);
      return false;
    } finally {
      this.#storingBytes -= block.bytes.length;
      this.#startHeld();
    }
  }

  /** Ends the running fetches until the service has read blocks. */
  #hold(): void {
    for (const want of this.#wants.values()) {
      const { ended } = want;
      if (ended === undefined) continue;
      delete want.ended;
      this.#held.add(want);
      ended.abort(new PeerApiError('PEER_CLOSED', 'The service does not read its blocks.'));
    }
  }

  #fail(id: number, error: unknown): void {
    const wire = wireErrorFrom(error);
    if (wire.code === 'PEER_FAULT') this.#onError(error);
    this.#messages.send({ type: 'failed', id, error: wire });
  }

  #report(): void {
    if (this.#messages.isBlocked) {
      // Its blocks take memory from all services.
      if (performance.now() - this.#progressAt > silenceMs) this.#socket.terminate();
      return;
    }
    this.#progressAt = performance.now();
    this.#messages.send({ type: 'peers', peers: this.#exchange.peers().slice(0, reportedPeersMax) });
  }

  #end(): void {
    clearInterval(this.#timer);
    const reason = new PeerApiError('PEER_CLOSED', 'The connection of the service is closed.');
    const wants = [...this.#wants.values()];
    this.#wants.clear();
    this.#held.clear();
    this.#blocks.clear();
    for (const { ended } of wants) ended?.abort(reason);
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }
}

function tooManyWants(): PeerApiError {
  return new PeerApiError('PEER_FETCHES_EXCEEDED', `The connection has ${wantsMax} open fetches.`, {
    hint: 'Wait until a fetch ends, or open another connection.',
  });
}
