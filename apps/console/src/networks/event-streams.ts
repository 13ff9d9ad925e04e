import type { ServerResponse } from 'node:http';
import { Auth } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { WebSocket } from 'ws';
import type { Addresses } from '../addresses.ts';
import type { ConsoleSettings } from '../settings.ts';
import { ADDRESSES } from '../tokens.ts';
import { EventStream, type Subscription } from './event-stream.ts';

/** Open streams of one account. */
const streamsPerAccount = 5;
const connectMs = 5000;

/** Live subscriptions of all viewers. */
@Injectable()
export class EventStreams {
  readonly #open = new Map<string, Set<EventStream>>();
  readonly #isLocal: boolean;

  constructor(
    @Inject(Auth) private readonly auth: Auth,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
    @Inject(SETTINGS) { CAIRN_GATEWAY_URL }: ConsoleSettings,
  ) {
    // Certificates of services on this machine need not name the loopback address.
    this.#isLocal = CAIRN_GATEWAY_URL === undefined;
  }

  /**
   * Streams the events of a subscription on behalf of an account until the viewer leaves.
   * @param host host name of the network
   * @throws STREAMS_TOO_MANY, SERVICE_UNREACHABLE
   */
  async stream(
    response: ServerResponse,
    { accountId, host, ...subscription }: Subscription & { readonly accountId: string; readonly host: string },
  ): Promise<void> {
    const open = this.#open.get(accountId) ?? new Set();
    this.#open.set(accountId, open);
    if (open.size >= streamsPerAccount)
      throw new CairnError('STREAMS_TOO_MANY', `The account has ${streamsPerAccount} open subscriptions.`, {
        hint: 'Stop one of them, for example in another tab.',
      });
    const stream = new EventStream(response, { ...subscription, connect: () => this.#connect(accountId, host) });
    open.add(stream);
    response.once('close', () => {
      open.delete(stream);
      if (open.size === 0) this.#open.delete(accountId);
    });
    await stream.start();
  }

  async #connect(accountId: string, host: string): Promise<WebSocket> {
    const delegation = await this.auth.delegation(accountId);
    const url = `${this.addresses.gateway.replace(/^http/, 'ws')}/ws/v3/${delegation}`;
    const socket = new WebSocket(url, {
      headers: { host },
      handshakeTimeout: connectMs,
      rejectUnauthorized: !this.#isLocal,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_, { statusCode }) => {
        socket.terminate();
        reject(
          statusCode === 429
            ? new CairnError('LIMIT_REACHED', 'The limit of open WebSocket connections is reached.', {
                hint: 'Close one of them, or use a larger plan.',
                details: { limit: 'webSockets', retryAfterSeconds: 1 },
              })
            : unreachable(),
        );
      });
      socket.once('error', (cause) => reject(unreachable(cause)));
    });
    return socket;
  }

  /** Ends all streams. */
  end(): void {
    for (const streams of this.#open.values()) for (const stream of streams) stream.end();
  }
}

function unreachable(cause?: unknown): CairnError {
  return new CairnError('SERVICE_UNREACHABLE', 'The gateway behind the console is not reachable.', {
    hint: 'Retry in a moment.',
    cause,
  });
}
