import { RpcError } from '@cairn/jsonrpc-core';
import type { Chain } from './chain.ts';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);
const shownCharactersMax = 100;

/** The networks of this gateway, in the order of the networks file. */
export class Networks {
  readonly chains: readonly Chain[];
  readonly #byHost: ReadonlyMap<string, Chain>;
  #lastHeader: string | undefined;
  #lastChain: Chain | undefined;

  constructor(chains: readonly Chain[]) {
    this.chains = chains;
    this.#byHost = new Map(chains.flatMap((chain) => chain.network.hosts.map((host) => [host, chain] as const)));
  }

  /**
   * Finds the network of a Host header. The first network also serves loopback names, and every other name if it lists `*`.
   * @throws RpcError for a host that no network lists
   */
  byHost(header: string | undefined): Chain {
    // Clients repeat the same header.
    if (header === this.#lastHeader && this.#lastChain !== undefined) return this.#lastChain;
    const chain = this.#find(header);
    this.#lastHeader = header;
    this.#lastChain = chain;
    return chain;
  }

  #find(header: string | undefined): Chain {
    const host = (header ?? '').toLowerCase().replace(/:\d{1,5}$/, '');
    const named = this.#byHost.get(host);
    if (named) return named;
    const [first] = this.chains;
    if (first && (loopbackHosts.has(host) || first.network.hosts.includes('*'))) return first;
    const known = [...this.#byHost.keys()].join(', ') || 'none';
    throw new RpcError(
      'notFound',
      `No network is served under the host ${JSON.stringify(host.slice(0, shownCharactersMax))}. Known hosts: ${known}.`,
    );
  }

  /** Heads of the networks that have blocks, for metrics. */
  heads(): { readonly network: string; readonly head: number; readonly lag: number | undefined }[] {
    return this.chains.flatMap((chain) => {
      const head = chain.reader.headOrNone;
      return head === undefined
        ? []
        : [{ network: chain.network.name, head: Number(head.number), lag: chain.lagBlocks }];
    });
  }
}
