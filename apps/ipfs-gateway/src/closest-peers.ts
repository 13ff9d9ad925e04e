import type { CID } from '@cairn/cid';
import { CairnError, isCairnError } from '@cairn/errors';
import type { PeerApi } from '@cairn/peer-api';
import { timeLimit } from '@cairn/platform';
import type { RoutingIdentity } from '@cairn/providing/delegated';
import { isPublicMultiaddr } from '@cairn/public-http';

const limits = {
  /** Searches of this process. Each asks dozens of nodes. */
  searches: 8,
  /** Milliseconds of one search. */
  searchMs: 30_000,
  /** Nodes of one answer: the DHT keeps a record at 20. */
  nodes: 20,
} as const;

const retryAfterSeconds = 5;

/** Searches of the DHT for clients of delegated routing. Equal searches share one. */
export class ClosestPeers {
  readonly #routing: Pick<PeerApi['routing'], 'findClosest'>;
  readonly #running = new Map<string, Promise<readonly RoutingIdentity[]>>();

  constructor({ routing }: { readonly routing: Pick<PeerApi['routing'], 'findClosest'> }) {
    this.#routing = routing;
  }

  /**
   * Returns the nodes that are closest to the hash of a CID.
   * @param isPrivate also lists private addresses
   * @throws LIMIT_REACHED, ROUTING_UNAVAILABLE
   */
  async find(key: CID, { isPrivate }: { readonly isPrivate: boolean }): Promise<readonly RoutingIdentity[]> {
    const text = key.toString();
    const running = this.#running.get(text) ?? this.#start(text);
    return isPrivate ? await running : (await running).flatMap(publicPart);
  }

  #start(text: string): Promise<readonly RoutingIdentity[]> {
    if (this.#running.size >= limits.searches)
      throw new CairnError('LIMIT_REACHED', `${limits.searches} searches of the DHT run already.`, {
        hint: `Retry after ${retryAfterSeconds} seconds.`,
        details: { retryAfterSeconds },
      });
    const search = this.#search(text).finally(() => this.#running.delete(text));
    this.#running.set(text, search);
    return search;
  }

  async #search(text: string): Promise<readonly RoutingIdentity[]> {
    const found: RoutingIdentity[] = [];
    try {
      const signal = timeLimit(limits.searchMs);
      for await (const event of this.#routing.findClosest(text, { signal })) {
        if (event.type !== 'peer' || event.provider.peer === undefined) continue;
        const { peer: id, addresses = [] } = event.provider;
        found.push({ id, addresses: addresses.map(withoutPeerId) });
        if (found.length === limits.nodes) break;
      }
    } catch (error) {
      if (isCairnError(error)) throw unavailable(error);
      // The time is over.
      if (!(error instanceof DOMException)) throw error;
    }
    return found;
  }
}

/** The message of the cause can have the address of the process of the peer. */
function unavailable(cause: Error): CairnError {
  return new CairnError('ROUTING_UNAVAILABLE', 'The DHT of this node does not answer.', {
    cause,
    hint: 'Retry later.',
    details: { retryAfterSeconds },
  });
}

/** Address without the peer ID at its end. */
export function withoutPeerId(address: string): string {
  return address.replace(/\/p2p\/[^/]+$/, '');
}

/** Node with its public addresses, if it has any. Addresses of a private network are no concern of clients outside it. */
function publicPart({ id, addresses }: RoutingIdentity): RoutingIdentity[] {
  const visible = addresses.filter(isPublicMultiaddr);
  return visible.length === 0 ? [] : [{ id, addresses: visible }];
}
