import type { Provider } from '../block-exchange.ts';
import type { GatewayHost } from './gateway-host.ts';
import { urlOfMultiaddr } from './gateway-url.ts';

export interface GatewayHostsOptions {
  readonly configured: readonly GatewayHost[];
  /** Creates the host of an address that was found in the network. */
  readonly create: (url: string) => GatewayHost;
  readonly hostsMax: number;
}

/** Known gateways: those of the settings, and a bounded number of those found in the network. */
export class GatewayHosts {
  readonly #options: GatewayHostsOptions;
  /** By URL, the least recently named first. */
  readonly #found = new Map<string, GatewayHost>();

  constructor(options: GatewayHostsOptions) {
    this.#options = options;
  }

  get configured(): readonly GatewayHost[] {
    return this.#options.configured;
  }

  get all(): readonly GatewayHost[] {
    return [...this.configured, ...this.#found.values()];
  }

  /** Returns the gateways among the addresses of providers. */
  of(providers: readonly Provider[], hostsMax: number): GatewayHost[] {
    const hosts = new Set<GatewayHost>();
    for (const { addresses = [] } of providers) {
      for (const address of addresses.slice(0, hostsMax)) {
        const url = urlOfMultiaddr(address);
        if (url !== undefined && hosts.size < hostsMax) hosts.add(this.#host(url));
      }
    }
    return [...hosts];
  }

  #host(url: string): GatewayHost {
    const host = this.#found.get(url) ?? this.#options.create(url);
    this.#found.delete(url);
    this.#found.set(url, host);
    if (this.#found.size > this.#options.hostsMax) this.#dropOldest(host);
    return host;
  }

  /** Drops an idle host. An excluded one stays as long as others can go, so that it is not asked again. */
  #dropOldest(kept: GatewayHost): void {
    const idle = [...this.#found].filter(([, host]) => host !== kept && host.isIdle);
    const [url] = idle.find(([, { waitMs }]) => waitMs === 0) ?? idle[0] ?? [];
    if (url !== undefined) this.#found.delete(url);
  }
}
