import type { Provider } from '@cairn/block-exchange';
import { PeerApiError } from '@cairn/peer-api';
import type { PeerId } from '@libp2p/interface';
import type { PeerAddress } from '../addresses/parse-address.ts';
import { peerLimits } from '../limits.ts';
import type { Node } from '../node/create-node.ts';
import type { OperatorDialer } from './dial.ts';

const { peeringMax, peeringMsMin, peeringMsMax } = peerLimits;

/** Value of the tag that keeps a connection from being closed at the limit of connections. */
const keepTag = { 'cairn-peering': { value: 100 } };

interface Peered {
  readonly address: PeerAddress;
  pauseMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** Keeps connections to chosen peers open. A lost one is opened again, with a pause that doubles with each failure. */
export class Peering {
  readonly #node: Node;
  readonly #dialer: OperatorDialer;
  readonly #peered = new Map<string, Peered>();
  readonly #ended = new AbortController();

  constructor(node: Node, dialer: OperatorDialer) {
    this.#node = node;
    this.#dialer = dialer;
    node.addEventListener('peer:disconnect', this.#onDisconnect);
  }

  list(): Provider[] {
    return [...this.#peered.values()].map(({ address: { peer, transport } }) => ({
      peer: peer.toString(),
      addresses: transport === undefined ? [] : [transport.toString()],
    }));
  }

  has(name: string): boolean {
    return this.#peered.has(name);
  }

  /** @throws PEERING_FULL */
  async add(address: PeerAddress): Promise<void> {
    const name = address.peer.toString();
    if (!this.#peered.has(name) && this.#peered.size >= peeringMax)
      throw new PeerApiError('PEERING_FULL', `There are ${peeringMax} peering connections.`, {
        hint: 'Remove one with `swarm peering rm`.',
      });
    await this.remove(name);
    const peered: Peered = { address, pauseMs: peeringMsMin, timer: undefined };
    this.#peered.set(name, peered);
    await this.#node.peerStore.merge(address.peer, { tags: keepTag });
    void this.#connect(peered);
  }

  async remove(name: string): Promise<void> {
    const peered = this.#peered.get(name);
    if (peered === undefined) return;
    this.#peered.delete(name);
    clearTimeout(peered.timer);
    await this.#node.peerStore.merge(peered.address.peer, { tags: { 'cairn-peering': undefined } });
  }

  close(): void {
    this.#ended.abort(new PeerApiError('PEER_CLOSED', 'The IPFS peer is shutting down.'));
    this.#node.removeEventListener('peer:disconnect', this.#onDisconnect);
    for (const { timer } of this.#peered.values()) clearTimeout(timer);
    this.#peered.clear();
  }

  readonly #onDisconnect = ({ detail }: { readonly detail: PeerId }): void => {
    const peered = this.#peered.get(detail.toString());
    if (peered !== undefined) this.#connectLater(peered);
  };

  async #connect(peered: Peered): Promise<void> {
    try {
      await this.#dialer.dial(peered.address, this.#ended.signal);
      peered.pauseMs = peeringMsMin;
    } catch {
      this.#connectLater(peered);
    }
  }

  #connectLater(peered: Peered): void {
    clearTimeout(peered.timer);
    if (this.#ended.signal.aborted || this.#peered.get(peered.address.peer.toString()) !== peered) return;
    peered.timer = setTimeout(() => void this.#connect(peered), peered.pauseMs).unref();
    peered.pauseMs = Math.min(2 * peered.pauseMs, peeringMsMax);
  }
}
