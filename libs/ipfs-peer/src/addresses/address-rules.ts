import type { ConnectionGater } from '@libp2p/interface';
import type { Multiaddr } from '@multiformats/multiaddr';
import { peerLimits } from '../limits.ts';
import type { AddressFilters } from './address-filters.ts';
import { isPrivateIp } from './private-address.ts';

/**
 * Decides which addresses this node dials. Peers announce any address, so private ones are refused: they would let
 * strangers reach services of this network. Addresses of the operator are always allowed.
 */
export class AddressRules {
  readonly #allowsPrivate: boolean;
  readonly #filters: Pick<AddressFilters, 'blocks'>;
  /** Transport parts of addresses of the operator, the latest last. */
  readonly #operator = new Set<string>();
  #refused = 0;

  constructor({
    allowsPrivate,
    filters = { blocks: () => false },
  }: {
    readonly allowsPrivate: boolean;
    /** Networks that are refused in both directions, also for the operator. Default: none. */
    readonly filters?: Pick<AddressFilters, 'blocks'>;
  }) {
    this.#allowsPrivate = allowsPrivate;
    this.#filters = filters;
  }

  /** Number of dials that were refused. */
  get refused(): number {
    return this.#refused;
  }

  /** Allows addresses that the operator entered, after names in them were resolved. */
  allow(addresses: readonly Multiaddr[]): void {
    for (const address of addresses) {
      const key = transportOf(address);
      this.#operator.delete(key);
      this.#operator.add(key);
    }
    for (const oldest of this.#operator) {
      if (this.#operator.size <= peerLimits.operatorAddressesMax) return;
      this.#operator.delete(oldest);
    }
  }

  /** Reports whether an address may be dialled. */
  allows(address: Multiaddr): boolean {
    if (this.#filters.blocks(address)) return false;
    if (this.#operator.has(transportOf(address))) return true;
    const [host, ...rest] = address.getComponents();
    // A relay is dialled at the first address. A second host behind it would be dialled by the relay.
    if (host?.value === undefined || (host.name !== 'ip4' && host.name !== 'ip6')) return false;
    if (rest.some(({ name }) => name === 'ip4' || name === 'ip6' || name.startsWith('dns'))) return false;
    return this.#allowsPrivate || !isPrivateIp(host.value);
  }

  /** Returns the rules in the form of js-libp2p. */
  gater(): ConnectionGater {
    return {
      denyDialMultiaddr: (address) => {
        if (this.allows(address)) return false;
        this.#refused++;
        return true;
      },
      denyInboundConnection: ({ remoteAddr }) => this.#filters.blocks(remoteAddr),
      // Refused addresses would only fill the peer store. Names are judged when they are resolved.
      filterMultiaddrForPeer: (_peer, address) => {
        const [host] = address.getComponents();
        const isIp = host?.name === 'ip4' || host?.name === 'ip6';
        return !isIp || this.allows(address);
      },
    };
  }
}

/** Returns the part of an address before the peer ID. */
function transportOf(address: Multiaddr): string {
  return address.toString().replace(/\/p2p\/[^/]+$/, '');
}
