import { CairnError } from '@cairn/errors';

export interface AddressLimitsOptions {
  /** Requests per second of one client; 0 sets no limit. Ten seconds of it may come in a burst. */
  readonly requestsPerSecond: number;
  /** Bytes per second of one client; 0 sets no limit. Ten seconds of it may come in a burst. */
  readonly bytesPerSecond: number;
  /** Concurrent requests of one client; 0 sets no limit. */
  readonly concurrentMax: number;
  /** Concurrent requests of all clients; 0 sets no limit. */
  readonly totalMax: number;
  /** Current time in milliseconds. Default: the monotonic clock. */
  readonly now?: () => number;
}

/** Clients in the table. Beyond it the one that was idle for the longest time is dropped. */
const clientsMax = 20_000;

const burstSeconds = 10;

interface Client {
  /** Requests and bytes that the client may use now. Bytes can go below zero, since a response is counted as it is sent. */
  requests: number;
  bytes: number;
  updatedAt: number;
  open: number;
}

/** Request that was admitted. */
export interface AdmittedRequest {
  /** Counts sent bytes. */
  sent(bytes: number): void;
  end(): void;
}

/** Limits of requests without an account, for each client address: an IPv4 address or an IPv6 network of 64 bits. */
export class AddressLimits {
  readonly #options: AddressLimitsOptions;
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #clients = new Map<string, Client>();
  #open = 0;

  constructor(options: AddressLimitsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Clients in the table. */
  get size(): number {
    return this.#clients.size;
  }

  /** Admits a request. Loopback addresses have no limit. @throws ADDRESS_LIMITED with `retryAfterSeconds` in its details */
  admit(address: string | undefined): AdmittedRequest {
    const { totalMax, concurrentMax, requestsPerSecond, bytesPerSecond } = this.#options;
    if (totalMax > 0 && this.#open >= totalMax) throw limited('the gateway serves too many requests now', 1);
    const client = isLoopback(address) ? undefined : this.#client(networkOf(address));
    if (client !== undefined) {
      if (concurrentMax > 0 && client.open >= concurrentMax)
        throw limited(`the client has ${concurrentMax} concurrent requests`, 1);
      if (bytesPerSecond > 0 && client.bytes <= 0)
        throw limited(`the client gets ${bytesPerSecond} bytes per second`, (1 - client.bytes) / bytesPerSecond);
      if (requestsPerSecond > 0 && client.requests < 1)
        throw limited(
          `the client may send ${requestsPerSecond} requests per second`,
          (1 - client.requests) / requestsPerSecond,
        );
      client.requests--;
      client.open++;
    }
    this.#open++;
    let isEnded = false;
    return {
      sent: (bytes) => {
        if (client !== undefined) client.bytes -= bytes;
      },
      end: () => {
        if (isEnded) return;
        isEnded = true;
        this.#open--;
        if (client !== undefined) client.open--;
      },
    };
  }

  /** Returns the client with its tokens of now, as the last used one. */
  #client(name: string): Client {
    const now = this.#now();
    const { requestsPerSecond, bytesPerSecond } = this.#options;
    const [requestsMax, bytesMax] = [Math.max(1, requestsPerSecond * burstSeconds), bytesPerSecond * burstSeconds];
    const client = this.#clients.get(name) ?? { requests: requestsMax, bytes: bytesMax, updatedAt: now, open: 0 };
    const seconds = Math.max(0, now - client.updatedAt) / 1000;
    client.requests = Math.min(requestsMax, client.requests + seconds * requestsPerSecond);
    client.bytes = Math.min(bytesMax, client.bytes + seconds * bytesPerSecond);
    client.updatedAt = now;
    this.#clients.delete(name);
    this.#clients.set(name, client);
    for (const oldest of this.#clients.keys()) {
      if (this.#clients.size <= clientsMax) break;
      this.#clients.delete(oldest);
    }
    return client;
  }
}

/** Network of an address: IPv6 clients have at least 64 bits for themselves. */
export function networkOf(address = 'unknown'): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Math.max(0, 8 - before.length - after.length);
  const all = tail === undefined ? before : [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || address?.startsWith('127.') === true;
}

function limited(reason: string, seconds: number): CairnError {
  const retryAfterSeconds = Math.max(1, Math.ceil(seconds));
  return new CairnError('ADDRESS_LIMITED', `Too many requests: ${reason}.`, {
    hint: `Try again in ${retryAfterSeconds} s, or use an API key.`,
    details: { retryAfterSeconds },
  });
}
