import { assertHashAllowed, type CID } from '@cairn/cid';
import { createPublicHttp, type PublicHttp, type PublicHttpOptions } from '@cairn/public-http';
import type { BlockExchange, ExchangeSession, FetchOptions, Provider } from '../block-exchange.ts';
import { blockKey } from '../block-key.ts';
import { ExchangeError, exchangeClosed, sessionClosed } from '../errors.ts';
import { linkAbort } from '../linked-abort.ts';
import { LanePermits } from '../permits.ts';
import { SharedFetches } from '../shared-fetches.ts';
import { BlockSearch } from './block-search.ts';
import { GatewayHost } from './gateway-host.ts';
import { GatewayHosts } from './gateway-hosts.ts';
import { type HttpExchangeLimits, httpExchangeLimits } from './limits.ts';

export interface HttpExchangeOptions {
  /** Base URLs of gateways that the operator names. Their addresses may be private. Default: none. */
  readonly gateways?: readonly string[];
  /**
   * Requests to gateways among the addresses of providers. They reach public addresses only, unless `allowsPrivate` is set.
   * Default: the resolver and the authorities of the system.
   */
  readonly found?: PublicHttpOptions;
  readonly limits?: Partial<HttpExchangeLimits>;
  /** Milliseconds of a monotonic clock. Default: `performance.now`. */
  readonly now?: () => number;
}

/**
 * Exchange over trustless HTTP gateways (https://specs.ipfs.tech/http-gateways/trustless-gateway/): those of the settings and
 * those among the providers of a fetch. Blocks are verified and not stored. Nothing is announced.
 */
export function createHttpExchange(options: HttpExchangeOptions = {}): BlockExchange {
  return new HttpExchange(options);
}

interface Search {
  readonly search: BlockSearch;
  fetches: number;
}

class HttpExchange implements BlockExchange {
  readonly #limits: HttpExchangeLimits;
  readonly #clients: readonly PublicHttp[];
  readonly #hosts: GatewayHosts;
  readonly #shared = new SharedFetches();
  /** By block. A later fetch adds its providers to a running search. */
  readonly #searches = new Map<string, Search>();
  readonly #closing = linkAbort();

  constructor({ gateways = [], found = {}, limits = {}, now = () => performance.now() }: HttpExchangeOptions) {
    this.#limits = { ...httpExchangeLimits, ...limits };
    const connectionsPerOrigin = this.#limits.requestsPerHostMax;
    const trusted = createPublicHttp({ allowsPrivate: true, connectionsPerOrigin });
    const untrusted = createPublicHttp({ connectionsPerOrigin, ...found });
    this.#clients = [trusted, untrusted];
    const { requestsMax: permits, requestsPerHostMax: permitsPerLane } = this.#limits;
    const common = { limits: this.#limits, permits: new LanePermits({ permits, permitsPerLane }), now };
    this.#hosts = new GatewayHosts({
      configured: gateways.map((url) => new GatewayHost({ ...common, url, http: trusted })),
      create: (url) => new GatewayHost({ ...common, url, http: untrusted }),
      hostsMax: this.#limits.hostsMax,
    });
  }

  fetch(cid: CID, options: FetchOptions = {}): Promise<Uint8Array> {
    return this.#fetch(cid, options.providers ?? [], options.signal);
  }

  openSession({ providers = [] }: { readonly providers?: readonly Provider[] } = {}): ExchangeSession {
    const known: Provider[] = [...providers];
    const waiting = new Map<CID, number>();
    const closing = linkAbort();
    return {
      fetch: async (cid, options = {}) => {
        const ended = linkAbort(options.signal, closing.signal);
        waiting.set(cid, (waiting.get(cid) ?? 0) + 1);
        try {
          return await this.#fetch(cid, [...known, ...(options.providers ?? [])], ended.signal);
        } finally {
          ended.unlink();
          const left = (waiting.get(cid) ?? 1) - 1;
          if (left === 0) waiting.delete(cid);
          else waiting.set(cid, left);
        }
      },
      addProviders: (added) => {
        known.push(...added.slice(0, this.#limits.hostsPerFetchMax));
        known.splice(0, known.length - this.#limits.hostsPerFetchMax);
        const hosts = this.#hosts.of(added, this.#limits.hostsPerFetchMax);
        for (const cid of waiting.keys()) this.#searches.get(blockKey(cid))?.search.add(hosts);
      },
      close: () => closing.abort(sessionClosed()),
    };
  }

  announce(): void {}

  peers() {
    return this.#hosts.all.map(({ traffic }) => traffic);
  }

  async close(): Promise<void> {
    this.#closing.abort(exchangeClosed());
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  async #fetch(cid: CID, providers: readonly Provider[], signal: AbortSignal | undefined): Promise<Uint8Array> {
    assertHashAllowed(cid.multihash);
    const closing = this.#closing.signal;
    if (closing.aborted) throw closing.reason;
    signal?.throwIfAborted();
    if (cid.multihash.code === 0) return cid.multihash.digest;
    const { search, release } = this.#searchOf(cid);
    search.add([...this.#hosts.of(providers, this.#limits.hostsPerFetchMax), ...this.#hosts.configured]);
    try {
      return await this.#shared.fetch(cid, signal, async (ended) => {
        const both = linkAbort(ended, closing);
        try {
          return await search.run(both.signal);
        } finally {
          both.unlink();
        }
      });
    } finally {
      release();
    }
  }

  /** Joins the search of a block, or creates it. @throws EXCHANGE_BUSY */
  #searchOf(cid: CID): { readonly search: BlockSearch; release(): void } {
    const key = blockKey(cid);
    const known = this.#searches.get(key);
    if (known === undefined && this.#searches.size >= this.#limits.fetchesMax)
      throw new ExchangeError('EXCHANGE_BUSY', `${this.#limits.fetchesMax} blocks are being fetched over HTTP.`, {
        hint: 'Repeat the request later.',
      });
    const open = known ?? { search: new BlockSearch(cid, this.#limits), fetches: 0 };
    this.#searches.set(key, open);
    open.fetches++;
    const release = () => {
      open.fetches--;
      if (open.fetches === 0 && this.#searches.get(key) === open) this.#searches.delete(key);
    };
    return { search: open.search, release };
  }
}
