import type { Provider } from '@cairn/block-exchange';

/**
 * Returns the nodes that the origins of a pin request name. The peer dials public addresses only, unless its operator allows
 * others. Text that names no peer and no gateway has no effect.
 */
export function providersOf(origins: readonly string[]): Provider[] {
  return origins.map((origin) => {
    const [, address = origin, peer] = /^(.*?)\/p2p\/([0-9A-Za-z]{1,128})$/.exec(origin) ?? [];
    if (peer === undefined) return { addresses: [origin] };
    return address === '' ? { peer } : { peer, addresses: [address] };
  });
}
