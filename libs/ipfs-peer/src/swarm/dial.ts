import { PeerApiError } from '@cairn/peer-api';
import { timeLimit } from '@cairn/platform';
import type { Connection } from '@libp2p/interface';
import type { Multiaddr } from '@multiformats/multiaddr';
import type { AddressRules } from '../addresses/address-rules.ts';
import type { PeerAddress } from '../addresses/parse-address.ts';
import { resolveNames } from '../addresses/resolve-names.ts';
import { peerLimits } from '../limits.ts';
import type { Node } from '../node/create-node.ts';

/** Dials addresses of the operator, which the address rules allow. */
export class OperatorDialer {
  readonly #node: Node;
  readonly #rules: AddressRules;

  constructor(node: Node, rules: AddressRules) {
    this.#node = node;
    this.#rules = rules;
  }

  /** Opens a connection, or returns the open one. @throws DIAL_FAILED, the reason of `signal` */
  async dial({ peer, transport, whole }: PeerAddress, signal?: AbortSignal): Promise<Connection> {
    const deadline = timeLimit(peerLimits.dialMs);
    const ended = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    try {
      if (peer.equals(this.#node.peerId)) throw new Error('it is this node');
      const [open] = this.#node.getConnections(peer);
      if (open !== undefined) return open;
      if (transport === undefined) return await this.#node.dial(peer, { signal: ended });
      return await this.#node.dial(await this.#allowed(whole, ended), { signal: ended });
    } catch (cause) {
      signal?.throwIfAborted();
      throw new PeerApiError('DIAL_FAILED', `Peer ${peer} cannot be dialled: ${reasonOf(cause)}.`, {
        hint: 'Check the address, and that the peer runs and is in the same network.',
        details: { peer: peer.toString() },
        cause,
      });
    }
  }

  /** Resolves names first, so that the rules allow the address that is dialled. */
  async #allowed(address: Multiaddr, signal: AbortSignal): Promise<Multiaddr[]> {
    const addresses = await resolveNames(address, signal);
    this.#rules.allow(addresses);
    return addresses;
  }
}

/** Most reasons in one message. */
const reasonsMax = 4;

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.slice(0, reasonsMax).map(reasonOf))].join('; ');
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\.$/, '').slice(0, 200);
}
