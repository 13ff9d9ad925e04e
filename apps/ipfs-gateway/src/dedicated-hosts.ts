import type { GatewayHostStore } from '@cairn/auth';
import type { SubdomainHost } from '@cairn/ipfs-gateway';
import type { ProcessGroup } from '@cairn/service-kit';
import type { OnApplicationShutdown } from '@nestjs/common';

/** Milliseconds between two reads of the list: a change takes effect within it. */
const refreshMs = 1000;

const changedTopic = 'changed dedicated hosts';

export interface DedicatedHostsOptions {
  readonly shared: readonly SubdomainHost[];
  readonly onError: (error: unknown) => void;
  /** The first process that finds a change makes the others read it. */
  readonly processes: Pick<ProcessGroup, 'publish' | 'subscribe'>;
}

/** Hosts that serve the pins of one account, read again every second. */
export class DedicatedHosts implements OnApplicationShutdown {
  /** Hosts whose subdomains are CIDs and names: those of the settings, then the dedicated ones. Changed in place. */
  readonly subdomainHosts: SubdomainHost[] = [];
  readonly #store: GatewayHostStore;
  readonly #shared: readonly SubdomainHost[];
  readonly #timer: NodeJS.Timeout;
  #accounts: ReadonlyMap<string, string> = new Map();
  /** The list as it was read last; never equal to one before the first read. */
  #text = '';

  private constructor(store: GatewayHostStore, { shared, onError, processes }: DedicatedHostsOptions) {
    this.#store = store;
    this.#shared = shared;
    const poll = async () => {
      if (await this.#refresh()) processes.publish(changedTopic, undefined);
    };
    this.#timer = setInterval(() => void poll().catch(onError), refreshMs).unref();
    processes.subscribe(changedTopic, () => void this.#refresh().catch(onError));
  }

  static async open(store: GatewayHostStore, options: DedicatedHostsOptions): Promise<DedicatedHosts> {
    const hosts = new DedicatedHosts(store, options);
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

  /** Reads the list. Resolves with whether it has changed. */
  async #refresh(): Promise<boolean> {
    const list = await this.#store.list();
    const text = JSON.stringify(list);
    if (text === this.#text) return false;
    this.#text = text;
    this.#accounts = new Map(list.map(({ host, accountId }) => [host, accountId]));
    const names = new Set(this.#shared.map(({ host }) => host.toLowerCase()));
    const dedicated = list.filter(({ host }) => !names.has(host)).map(({ host }) => ({ host, inlinesDnslink: true }));
    this.subdomainHosts.splice(0, this.subdomainHosts.length, ...this.#shared, ...dedicated);
    return true;
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#store.close();
  }
}
