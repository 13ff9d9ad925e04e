import { BlockList, isIP } from 'node:net';
import { PeerApiError } from '@cairn/peer-api';
import type { Multiaddr } from '@multiformats/multiaddr';
import { peerLimits } from '../limits.ts';

/** Keeps filters over a restart. */
export interface FilterStore {
  load(): Promise<readonly string[]>;
  /** Resolves when the filters are durable. */
  save(filters: readonly string[]): Promise<void>;
}

interface Subnet {
  readonly text: string;
  readonly network: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Networks with which no new connection is opened, in the form of Kubo: `/ip4/10.0.0.0/ipcidr/8`. */
export class AddressFilters {
  readonly #store: FilterStore | undefined;
  readonly #subnets = new Map<string, Subnet>();
  #blocked = new BlockList();

  private constructor(store: FilterStore | undefined) {
    this.#store = store;
  }

  /** @throws ADDRESS_INVALID for a stored filter */
  static async open(store?: FilterStore): Promise<AddressFilters> {
    const filters = new AddressFilters(store);
    for (const text of (await store?.load()) ?? []) filters.#subnets.set(text, parseFilter(text));
    filters.#rebuild();
    return filters;
  }

  list(): readonly string[] {
    return [...this.#subnets.keys()];
  }

  /** Adds filters, all or none. Open connections stay, as in Kubo. @throws ADDRESS_INVALID, ADDRESS_FILTERS_FULL */
  async add(texts: readonly string[]): Promise<void> {
    const parsed = texts.map(parseFilter);
    const added = new Set(parsed.map(({ text }) => text).filter((text) => !this.#subnets.has(text)));
    if (this.#subnets.size + added.size > peerLimits.addressFiltersMax)
      throw new PeerApiError('ADDRESS_FILTERS_FULL', `There are ${this.#subnets.size} address filters.`, {
        hint: `At most ${peerLimits.addressFiltersMax} apply. Combine networks, or remove filters with \`swarm filters rm\`.`,
      });
    for (const subnet of parsed) this.#subnets.set(subnet.text, subnet);
    await this.#changed();
  }

  /** Removes filters and returns those that existed; `all` removes all. @throws ADDRESS_INVALID */
  async remove(texts: readonly string[]): Promise<readonly string[]> {
    const chosen = texts.includes('all') ? this.list() : texts.map((text) => parseFilter(text).text);
    const removed = [...new Set(chosen)].filter((text) => this.#subnets.delete(text));
    if (removed.length > 0) await this.#changed();
    return removed;
  }

  /** Reports whether an address is in one of the networks. */
  blocks(address: Multiaddr): boolean {
    const [host] = address.getComponents();
    if (host?.value === undefined || this.#subnets.size === 0) return false;
    if (host.name === 'ip4') return this.#blocked.check(host.value, 'ipv4');
    return host.name === 'ip6' && this.#blocked.check(host.value, 'ipv6');
  }

  async #changed(): Promise<void> {
    this.#rebuild();
    await this.#store?.save(this.list());
  }

  #rebuild(): void {
    this.#blocked = new BlockList();
    for (const { network, bits, family } of this.#subnets.values()) this.#blocked.addSubnet(network, bits, family);
  }
}

/** @throws ADDRESS_INVALID */
function parseFilter(text: string): Subnet {
  const [, version, network = '', size = ''] =
    /^\/ip([46])\/([0-9A-Fa-f:.]{2,45})\/ipcidr\/(\d{1,3})$/.exec(text) ?? [];
  const bits = Number(size);
  if (version === undefined || isIP(network) !== Number(version) || bits > (version === '4' ? 32 : 128))
    throw new PeerApiError('ADDRESS_INVALID', `${JSON.stringify(text.slice(0, 100))} is not an address filter.`, {
      hint: 'Use the form /ip4/10.0.0.0/ipcidr/8.',
    });
  return { text, network, bits, family: version === '4' ? 'ipv4' : 'ipv6' };
}
