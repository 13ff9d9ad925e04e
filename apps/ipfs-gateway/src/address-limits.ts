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
  /** Collects the use for {@link AddressLimits.takeUse}. Default: no. */
  readonly isShared?: boolean;
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

/** Requests and bytes that clients have used, by client. */
export type AddressUse = ReadonlyMap<string, { readonly requests: number; readonly bytes: number }>;

/** Limits of requests without an account, for each client address: an IPv4 address or an IPv6 network of 64 bits. */
export class AddressLimits {
  readonly #options: AddressLimitsOptions;
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #clients = new Map<string, Client>();
  /** Use since the last call of {@link takeUse}. */
  #used = new Map<string, { requests: number; bytes: number }>();
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
    const name = networkOf(address);
    const client = isLoopback(address) ? undefined : this.#client(name);
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
      this.#use(name).requests++;
      client.open++;
    }
    this.#open++;
    let isEnded = false;
    return {
      sent: (bytes) => {
        if (client === undefined) return;
        client.bytes -= bytes;
        this.#use(name).bytes += bytes;
      },
      end: () => {
        if (isEnded) return;
        isEnded = true;
        this.#open--;
        if (client !== undefined) client.open--;
      },
    };
  }

  /** Returns the use since the last call, for the other processes of the gateway. */
  takeUse(): AddressUse {
    const used = this.#used;
    this.#used = new Map();
    return used;
  }

  /** Counts use at another process. */
  addUse(used: AddressUse): void {
    for (const [name, { requests, bytes }] of used) {
      const client = this.#client(name);
      client.requests -= requests;
      client.bytes -= bytes;
    }
  }

  #use(name: string): { requests: number; bytes: number } {
    const known = this.#used.get(name);
    if (known !== undefined) return known;
    const used = { requests: 0, bytes: 0 };
    // Beyond the size of the table the least used ones are dropped there too.
    if (this.#options.isShared === true && this.#used.size < clientsMax) this.#used.set(name, used);
    return used;
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
