import type { GatewayRequest } from '@cairn/ipfs-gateway';

/** Request of a client. Its signal is created on demand: a response from memory needs none. */
export class AskedRequest implements GatewayRequest {
  readonly method: string;
  readonly host: string;
  readonly target: string;
  readonly headers: GatewayRequest['headers'];
  readonly isHttps: boolean;
  readonly #openSignal: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(
    { method, host, target, headers, isHttps = false }: Omit<GatewayRequest, 'signal'>,
    openSignal: () => AbortSignal,
  ) {
    this.method = method;
    this.host = host;
    this.target = target;
    this.headers = headers;
    this.isHttps = isHttps;
    this.#openSignal = openSignal;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#openSignal();
    return this.#signal;
  }
}
