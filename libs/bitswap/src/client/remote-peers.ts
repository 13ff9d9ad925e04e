import type { PeerName, Target } from '../transport.ts';
import { RemotePeer, type RemotePeerOptions } from './remote-peer.ts';
import type { Peer, Want } from './want.ts';

/** Peers of the client: connected ones and providers, bounded. */
export class RemotePeers {
  readonly #peers = new Map<PeerName, Peer>();
  readonly #options: RemotePeerOptions<Want>;

  constructor(options: RemotePeerOptions<Want>) {
    this.#options = options;
  }

  get(name: PeerName): Peer | undefined {
    return this.#peers.get(name);
  }

  all(): Iterable<Peer> {
    return this.#peers.values();
  }

  /** Returns the peer of a target and keeps new addresses. Undefined when the number of peers is at its limit. */
  of(target: Target): Peer | undefined {
    const known = this.#peers.get(target.peer);
    if (known !== undefined) {
      if (target.addresses !== undefined) known.target = target;
      return known;
    }
    if (this.#peers.size >= this.#options.limits.remotePeersMax && !this.#forgetOne()) return undefined;
    const peer = new RemotePeer<Want>(target, this.#options);
    this.#peers.set(peer.name, peer);
    return peer;
  }

  delete(peer: Peer): void {
    this.#peers.delete(peer.name);
  }

  #forgetOne(): boolean {
    for (const peer of this.#peers.values()) {
      if (peer.isConnected || peer.wants.size > 0) continue;
      this.#peers.delete(peer.name);
      peer.isDropped = true;
      return true;
    }
    return false;
  }
}
