import type { BitswapLimits } from '../limits.ts';
import type { Peer, View, Want } from './want.ts';

/**
 * Decides whom to ask for a block. Peers that have it or were productive get a want-block, the least loaded first. All
 * others get a want-have, up to a bound.
 */
export class RequestPlanner {
  readonly #limits: BitswapLimits;

  constructor(limits: BitswapLimits) {
    this.#limits = limits;
  }

  drive(want: Want): void {
    if (want.isArrived || want.isRequested) return;
    const now = performance.now();
    const candidates = [...want.candidates()].filter((peer) => peer.restUntil <= now);
    if (this.#requestBlock(want, candidates)) return;
    const open = candidates.filter((peer) => this.#mayAsk(want.views.get(peer), now));
    const [only] = open;
    // A want-have to the only peer would cost a round trip and exclude nothing.
    if (candidates.length === 1 && only !== undefined) {
      this.#request(want, only, now);
      return;
    }
    let asked = 0;
    for (const view of want.views.values()) if (view.state === 'asked-have') asked++;
    for (const peer of open) {
      if (asked >= this.#limits.presencePeersMax) return;
      this.#ask(want, peer, 'have', now);
      asked++;
    }
  }

  /** Requests the block from a peer that has it, else from a productive one. */
  #requestBlock(want: Want, candidates: readonly Peer[]): boolean {
    const now = performance.now();
    const having = candidates.filter((peer) => want.views.get(peer)?.state === 'has');
    const likely =
      having.length > 0
        ? having
        : candidates.filter((peer) => peer.isProductive && this.#mayAsk(want.views.get(peer), now));
    if (likely.length === 0) return false;
    let best: Peer | undefined;
    for (const peer of likely) {
      if (!peer.hasRoom) continue;
      if (best === undefined || peer.inFlight / peer.window < best.inFlight / best.window) best = peer;
    }
    if (best !== undefined) this.#request(want, best, now);
    else for (const peer of likely) peer.backlog.add(want);
    return true;
  }

  #request(want: Want, peer: Peer, now: number): void {
    if (!peer.hasRoom) {
      peer.backlog.add(want);
      return;
    }
    peer.inFlight++;
    this.#ask(want, peer, 'block', now);
  }

  #ask(want: Want, peer: Peer, type: 'have' | 'block', now: number): void {
    const tries = want.views.get(peer)?.tries ?? 0;
    const ms = Math.min(this.#limits.requestMsMax, this.#limits.requestMsMin * 2 ** Math.min(tries, 8));
    want.views.set(peer, { state: `asked-${type}`, since: now, until: now + ms, tries: tries + 1 });
    peer.wants.add(want);
    peer.queue({ cid: want.cid, priority: 1, isCancel: false, type, sendDontHave: true });
  }

  /** Reports whether a peer may be asked: never asked, or its refusal or silence is old enough. */
  #mayAsk(view: View | undefined, now: number): boolean {
    if (view === undefined) return true;
    return (view.state === 'lacks' || view.state === 'late') && view.until <= now;
  }
}
