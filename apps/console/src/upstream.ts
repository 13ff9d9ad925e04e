import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Auth, type DelegationPayer } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, request } from 'undici';
import type { Addresses } from './addresses.ts';
import { PageReads } from './page-reads.ts';
import { RequestLog } from './request-log.ts';
import type { ConsoleSettings } from './settings.ts';
import { ADDRESSES } from './tokens.ts';

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable & { text(): Promise<string>; dump(): Promise<void> };
  /** Set after the body has ended. */
  readonly trailers: Readonly<Record<string, unknown>>;
}

/** Answer of `/readyz` of a service. */
export interface Readiness {
  readonly isReady: boolean;
  readonly isReachable: boolean;
  readonly text: string;
}

/** `service` for reads that a page makes by itself, which are free. Default: the account pays. */
interface PaidBy {
  readonly payer?: DelegationPayer;
}

interface StorageRequest extends PaidBy {
  readonly body?: Readable;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

type SentOptions = Omit<Dispatcher.RequestOptions, 'path' | 'origin' | 'headers'> & {
  headers?: Record<string, string>;
};

/** Client of the other services on behalf of an account, with its limits and its usage. */
@Injectable()
export class Upstream implements OnApplicationShutdown {
  readonly #agent: Agent;
  readonly #pageReads = new PageReads();

  constructor(
    @Inject(Auth) private readonly auth: Auth,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
    @Inject(RequestLog) private readonly requests: RequestLog,
    @Inject(SETTINGS) { CAIRN_STORAGE_URL, CAIRN_GATEWAY_URL }: ConsoleSettings,
  ) {
    // Certificates of services on this machine need not name the loopback address.
    const isLocal = CAIRN_STORAGE_URL === undefined && CAIRN_GATEWAY_URL === undefined;
    this.#agent = new Agent({ connect: { rejectUnauthorized: !isLocal }, bodyTimeout: 0, headersTimeout: 0 });
  }

  /** Sends a command to the storage API. */
  async storage(
    accountId: string,
    command: string,
    { body, headers = {}, signal, payer }: StorageRequest = {},
  ): Promise<UpstreamAnswer> {
    const delegation = await this.auth.delegation(accountId, payer && { payer });
    const credentials = Buffer.from(`${delegation}:console`).toString('base64');
    return await this.#sendFor(
      payer === 'service' ? accountId : undefined,
      `${this.addresses.storage}/api/v0/${command}`,
      {
        method: 'POST',
        headers: { ...headers, authorization: `Basic ${credentials}` },
        ...(body !== undefined && { body }),
        ...(signal !== undefined && { signal }),
      },
    );
  }

  /** Sends a request to the Pinning Service API. `path` starts with `pins` or `webhook`. */
  async pinningService(
    accountId: string,
    path: string,
    {
      method = 'GET',
      body,
      payer,
    }: PaidBy & { readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'; readonly body?: unknown } = {},
  ): Promise<UpstreamAnswer> {
    const delegation = await this.auth.delegation(accountId, payer && { payer });
    return await this.#sendFor(payer === 'service' ? accountId : undefined, `${this.addresses.storage}/psa/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${delegation}:console`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Sends a JSON-RPC body to the network of a host name. */
  async gateway(
    accountId: string,
    host: string,
    body: string,
    { payer, signal }: PaidBy & { readonly signal?: AbortSignal } = {},
  ): Promise<UpstreamAnswer> {
    const delegation = await this.auth.delegation(accountId, payer && { payer });
    return await this.#send(`${this.addresses.gateway}/v3/${delegation}`, {
      method: 'POST',
      headers: { host, 'content-type': 'application/json' },
      body,
      ...(signal !== undefined && { signal }),
    });
  }

  /** Reads the OpenRPC document of the gateway. */
  async methods(): Promise<UpstreamAnswer> {
    return await this.#send(`${this.addresses.gateway}/openrpc.json`, { method: 'GET' });
  }

  /** Reads `/readyz` of the service at an address. */
  async readiness(url: string): Promise<Readiness> {
    try {
      const signal = AbortSignal.timeout(3000);
      const answer = await this.#send(`${url}/readyz`, { method: 'GET', signal });
      return { isReady: answer.status === 200, isReachable: true, text: (await answer.body.text()).slice(0, 1000) };
    } catch {
      return { isReady: false, isReachable: false, text: 'not reachable' };
    }
  }

  /** Sends a request; with an account it counts as a page read of that account. */
  async #sendFor(accountId: string | undefined, url: string, options: SentOptions): Promise<UpstreamAnswer> {
    if (accountId === undefined) return await this.#send(url, options);
    const leave = await this.#pageReads.enter(accountId);
    try {
      const answer = await this.#send(url, options);
      answer.body.once('close', leave);
      return answer;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #send(url: string, options: SentOptions): Promise<UpstreamAnswer> {
    try {
      const sent = { ...options.headers, ...this.requests.outgoing };
      const answer = await request(url, { ...options, headers: sent, dispatcher: this.#agent });
      const { statusCode: status, headers, body, trailers } = answer;
      return { status, headers, body, trailers };
    } catch (cause) {
      throw new CairnError('SERVICE_UNREACHABLE', 'A service behind the console is not reachable.', {
        hint: 'Retry in a moment.',
        cause,
      });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Aborts when the client disconnects before its answer is complete. */
export function endOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client closed the connection'));
  });
  return controller.signal;
}
