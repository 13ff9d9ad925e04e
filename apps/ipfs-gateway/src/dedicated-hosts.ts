import type { GatewayHostStore } from '@cairn/auth';
import type { SubdomainHost } from '@cairn/ipfs-gateway';
import type { OnApplicationShutdown } from '@nestjs/common';

/** Milliseconds between two reads of the list: a change takes effect within it. */
const refreshMs = 1000;

/** Hosts that serve the pins of one account, read again every second. */
export class DedicatedHosts implements OnApplicationShutdown {
  /** Hosts whose subdomains are CIDs and names: those of the settings, then the dedicated ones. Changed in place. */
  readonly subdomainHosts: SubdomainHost[] = [];
  readonly #store: GatewayHostStore;
  readonly #shared: readonly SubdomainHost[];
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #accounts: ReadonlyMap<string, string> = new Map();
  #text = '';

  private constructor(store: GatewayHostStore, shared: readonly SubdomainHost[], onError: (error: unknown) => void) {
    this.#store = store;
    this.#shared = shared;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.#refresh().catch(this.#onError), refreshMs).unref();
  }

  static async open(
    store: GatewayHostStore,
    { shared, onError }: { readonly shared: readonly SubdomainHost[]; readonly onError: (error: unknown) => void },
  ): Promise<DedicatedHosts> {
    const hosts = new DedicatedHosts(store, shared, onError);
    await hosts.#refresh();
    return hosts;
  }

  /** Finds the account of a host or of one of its subdomains. */
  accountOf(host: string): string | undefined {
    if (this.#accounts.size === 0) return undefined;
    const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
    const [, parent] = /^.+\.ip[fn]s\.([^.].*)$/.exec(name) ?? [];
    return this.#accounts.get(name) ?? (parent === undefined ? undefined : this.#accounts.get(parent));
  }

  async #refresh(): Promise<void> {
    const list = await this.#store.list();
    const text = JSON.stringify(list);
    if (text === this.#text && this.subdomainHosts.length > 0) return;
    this.#text = text;
    this.#accounts = new Map(list.map(({ host, accountId }) => [host, accountId]));
    const names = new Set(this.#shared.map(({ host }) => host.toLowerCase()));
    const dedicated = list.filter(({ host }) => !names.has(host)).map(({ host }) => ({ host, inlinesDnslink: true }));
    this.subdomainHosts.splice(0, this.subdomainHosts.length, ...this.#shared, ...dedicated);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#store.close();
  }
}
