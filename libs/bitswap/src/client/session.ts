/** Use of a peer, for the choice of the one to replace. */
interface SessionPeer {
  readonly isProductive: boolean;
  readonly inFlight: number;
}

/** Peers that wants of one purpose share, for example the blocks of one file. */
export class Session<Peer extends SessionPeer> {
  readonly peers = new Set<Peer>();
  readonly #peersMax: number;
  readonly #closing = new Set<() => void>();
  #isClosed = false;

  constructor(peersMax: number) {
    this.#peersMax = peersMax;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls back at the close. Returns a function that ends the subscription. */
  onClose(listener: () => void): () => void {
    this.#closing.add(listener);
    return () => this.#closing.delete(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.peers.clear();
    for (const listener of [...this.#closing]) listener();
  }

  /** Adds a peer. A full session replaces a peer that delivered nothing. Returns whether the peer is new. */
  add(peer: Peer): boolean {
    if (this.#isClosed || this.peers.has(peer)) return false;
    if (this.peers.size >= this.#peersMax) {
      const idle = [...this.peers].find(({ isProductive, inFlight }) => !isProductive && inFlight === 0);
      if (idle === undefined) return false;
      this.peers.delete(idle);
    }
    this.peers.add(peer);
    return true;
  }
}
