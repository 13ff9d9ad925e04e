import type { BitswapLimits } from './limits.ts';
import type { PeerName } from './transport.ts';

/** Peers that sent a wrong block or an invalid message. The exclusion doubles with each fault. */
export class ExcludedPeers {
  readonly #entries = new Map<PeerName, { readonly until: number; readonly ms: number }>();
  readonly #limits: BitswapLimits;

  constructor(limits: BitswapLimits) {
    this.#limits = limits;
  }

  has(peer: PeerName): boolean {
    const entry = this.#entries.get(peer);
    return entry !== undefined && entry.until > performance.now();
  }

  add(peer: PeerName): void {
    const { exclusionMsMin, exclusionMsMax, excludedMax } = this.#limits;
    const ms = Math.min(exclusionMsMax, (this.#entries.get(peer)?.ms ?? exclusionMsMin / 2) * 2);
    this.#entries.delete(peer);
    this.#entries.set(peer, { until: performance.now() + ms, ms });
    if (this.#entries.size <= excludedMax) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
