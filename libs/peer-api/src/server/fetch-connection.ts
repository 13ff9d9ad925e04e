import type { BlockExchange, ExchangeSession, FetchOptions } from '@cairn/block-exchange';
import type { WebSocket } from 'ws';
import { PeerApiError, wireErrorFrom } from '../errors.ts';
import { peerApiLimits } from '../limits.ts';
import { type FetchReport, type FetchRequest, fetchRequests } from '../wire/fetch-messages.ts';
import { MessageSender } from '../wire/message-sender.ts';

const { wantsMax, sessionsMax, reportMs, reportedPeersMax } = peerApiLimits;

/** WebSocket close code of a message that is not valid (RFC 6455, 7.4.1). */
const invalidMessage = 1007;

/** Serves the fetches of one connection. Its end cancels them: the service requests them again on its next connection. */
export class FetchConnection {
  readonly #socket: WebSocket;
  readonly #exchange: BlockExchange;
  readonly #onError: (error: unknown) => void;
  readonly #sender: MessageSender<FetchReport>;
  readonly #sessions = new Map<number, ExchangeSession>();
  readonly #wants = new Map<number, AbortController>();
  readonly #timer: NodeJS.Timeout;

  constructor(socket: WebSocket, exchange: BlockExchange, onError: (error: unknown) => void) {
    this.#socket = socket;
    this.#exchange = exchange;
    this.#onError = onError;
    this.#sender = new MessageSender(socket);
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
    if (!this.#sender.isBlocked || this.#socket.isPaused) return;
    this.#socket.pause();
    const timer = setInterval(() => {
      if (this.#sender.isBlocked && this.#socket.readyState === this.#socket.OPEN) return;
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
        void this.#fetch(request);
        return;
      case 'cancel':
        this.#wants.get(request.id)?.abort(new PeerApiError('PEER_CLOSED', 'The service ended the fetch.'));
        this.#wants.delete(request.id);
        return;
      case 'announce':
        this.#exchange.announce(request.cids);
        return;
      default:
        request satisfies never;
    }
  }

  async #fetch({ id, session, cid, providers }: Extract<FetchRequest, { type: 'want' }>): Promise<void> {
    if (this.#wants.has(id)) return;
    if (this.#wants.size >= wantsMax) return this.#fail(id, tooManyWants());
    const ended = new AbortController();
    this.#wants.set(id, ended);
    const from: { fetch: BlockExchange['fetch'] } = this.#sessions.get(session) ?? this.#exchange;
    const options: FetchOptions = { signal: ended.signal, ...(providers !== undefined && { providers }) };
    try {
      await from.fetch(cid, options);
      if (this.#wants.delete(id)) this.#sender.send({ type: 'stored', id });
    } catch (error) {
      if (this.#wants.delete(id)) this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    const wire = wireErrorFrom(error);
    if (wire.code === 'PEER_FAULT') this.#onError(error);
    this.#sender.send({ type: 'failed', id, error: wire });
  }

  #report(): void {
    if (this.#sender.isBlocked) return;
    this.#sender.send({ type: 'peers', peers: this.#exchange.peers().slice(0, reportedPeersMax) });
  }

  #end(): void {
    clearInterval(this.#timer);
    const reason = new PeerApiError('PEER_CLOSED', 'The connection of the service is closed.');
    const wants = [...this.#wants.values()];
    this.#wants.clear();
    for (const want of wants) want.abort(reason);
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }
}

function tooManyWants(): PeerApiError {
  return new PeerApiError('PEER_FETCHES_EXCEEDED', `The connection has ${wantsMax} open fetches.`, {
    hint: 'Wait until a fetch ends, or open another connection.',
  });
}
