import type { Provider } from '@cairn/block-exchange';
import { type CID, isCid, parseCid } from '@cairn/cid';
import { type DhtStatus, type PeerApi, PeerApiError, type RoutingEvent } from '@cairn/peer-api';
import { timeLimit } from '@cairn/platform';
import type { KadDHT, QueryEvent } from '@libp2p/kad-dht';
import { parsePeerId } from '../addresses/parse-address.ts';
import { peerLimits } from '../limits.ts';
import type { Node } from '../node/create-node.ts';
import { merge } from './merge.ts';
import { recordKeyText, recordType } from './record-key.ts';
import { providerFromPeerInfo, routingEventsFrom } from './routing-events.ts';
import { bucketsOf, sizeOf } from './routing-table.ts';

const { searchMs, searchesMax, providersMax } = peerLimits;

/** Further routing system, such as a delegated router. */
export interface FurtherRouter {
  findProviders(cid: CID, options: { readonly signal: AbortSignal }): AsyncIterable<Provider>;
  /** Returns the addresses of a provider that was named without any. */
  findPeer?(peer: string, options: { readonly signal: AbortSignal }): Promise<Provider | undefined>;
}

/** Announces blocks immediately, with few lookups for many of them. @throws ROUTING_UNAVAILABLE */
export type AnnounceNow = (
  cids: readonly CID[],
  options: { readonly signal?: AbortSignal },
) => Promise<{ readonly announced: number; readonly failed: number }>;

type Search = (dht: KadDHT, signal: AbortSignal) => AsyncIterable<QueryEvent>;

/** Searches in the DHTs of a node, with a limit on time and number. */
export class Routing {
  readonly #node: Node;
  readonly #dhts: readonly KadDHT[];
  readonly #routers: readonly FurtherRouter[];
  readonly #announce: AnnounceNow | undefined;
  #searches = 0;

  constructor(node: Node, routers: readonly FurtherRouter[] = [], announce?: AnnounceNow) {
    this.#node = node;
    this.#routers = routers;
    this.#announce = announce;
    const { wan, lan } = node.services;
    this.#dhts = [wan, lan].filter((dht) => dht !== undefined);
  }

  /** Returns the part of the port. */
  api(): PeerApi['routing'] {
    return {
      findProviders: (cid, options) => this.findProviders(cid, options),
      findPeer: (peer, { signal } = {}) => this.#findPeer(peer, signal),
      findClosest: (key, { signal } = {}) => this.#findClosest(key, signal),
      provide: (cids, { signal } = {}) => this.#provide(cids, signal),
      get: (key, { signal } = {}) => this.#get(key, signal),
      put: (key, value, { signal } = {}) => this.#put(key, value, signal),
      status: async () => this.#status(),
    };
  }

  async *findProviders(
    cid: CID,
    { count = providersMax, signal }: { readonly count?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<RoutingEvent> {
    const found = new Set<string>();
    // Without a DHT the routers suffice.
    const hasDhtPart = this.#dhts.length > 0 || this.#routers.length === 0;
    const dhtEvents = this.#search((dht, ended) => dht.findProviders(cid, { signal: ended }), signal);
    const parts = [...(hasDhtPart ? [progressOf(dhtEvents)] : []), ...this.#askRouters(cid, signal)];
    for await (const item of merge(parts)) {
      if (item.type !== 'provider') yield item;
      else if (isNew(found, item.provider)) yield item;
      if (found.size >= count) return;
    }
  }

  /** Asks each further router. A failed one reports its reason. */
  #askRouters(cid: CID, signal: AbortSignal | undefined): AsyncGenerator<RoutingEvent>[] {
    const deadline = timeLimit(searchMs);
    const ended = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    return this.#routers.map(async function* (router): AsyncGenerator<RoutingEvent> {
      try {
        for await (const provider of router.findProviders(cid, { signal: ended }))
          yield { type: 'provider', provider: await withAddresses(router, provider, ended) };
      } catch (error) {
        signal?.throwIfAborted();
        yield { type: 'error', message: error instanceof Error ? error.message : String(error) };
      }
    });
  }

  async *#findPeer(peer: string, signal?: AbortSignal): AsyncGenerator<RoutingEvent> {
    const id = parsePeerId(peer);
    const connected = this.#node.getConnections(id);
    if (connected.length > 0) {
      const addresses = connected.map(({ remoteAddr }) => remoteAddr);
      yield { type: 'peer', provider: providerFromPeerInfo({ id, multiaddrs: addresses }) };
      return;
    }
    for await (const event of this.#search((dht, ended) => dht.findPeer(id, { signal: ended }), signal)) {
      for (const item of routingEventsFrom(event)) {
        // Queries also report peers on the way, and a known peer whose addresses have expired.
        if (item.type !== 'peer') yield item;
        else if (item.provider.peer === peer && hasAddresses(item.provider)) {
          yield item;
          return;
        }
      }
    }
    throw new PeerApiError('PEER_NOT_FOUND', `Peer ${peer} was not found.`, {
      hint: 'Check the peer ID, and that the peer is online.',
    });
  }

  async *#findClosest(text: string, signal?: AbortSignal): AsyncGenerator<RoutingEvent> {
    const key = isCid(text) ? parseCid(text).multihash.bytes : parsePeerId(text).toMultihash().bytes;
    const found = new Set<string>();
    // Both DHTs may end at the same peer.
    for await (const event of this.#search((dht, ended) => dht.getClosestPeers(key, { signal: ended }), signal))
      for (const item of routingEventsFrom(event)) {
        if (item.type !== 'peer') yield item;
        else if (isNew(found, item.provider))
          yield { type: 'peer', provider: await this.#withStoredAddresses(item.provider) };
      }
  }

  /** Completes a peer without addresses: a search names peers of the routing table alone. */
  async #withStoredAddresses(provider: Provider): Promise<Provider> {
    if (provider.peer === undefined || hasAddresses(provider)) return provider;
    const id = parsePeerId(provider.peer);
    const stored = await this.#node.peerStore.get(id).catch(() => undefined);
    if (stored === undefined) return provider;
    return providerFromPeerInfo({ id, multiaddrs: stored.addresses.map(({ multiaddr }) => multiaddr) });
  }

  async *#provide(cids: readonly CID[], signal?: AbortSignal): AsyncGenerator<RoutingEvent> {
    if (this.#announce !== undefined) return yield* this.#announceAll(this.#announce, cids, signal);
    for (const cid of cids)
      for await (const event of this.#search((dht, ended) => dht.provide(cid, { signal: ended }), signal))
        yield* routingEventsFrom(event);
  }

  async *#announceAll(
    announce: AnnounceNow,
    cids: readonly CID[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<RoutingEvent> {
    this.#enter();
    try {
      const { announced, failed } = await announce(cids, { ...(signal && { signal }) });
      if (failed > 0)
        yield { type: 'error', message: `no node took ${failed} of ${announced + failed} provider records` };
    } finally {
      this.#searches--;
    }
  }

  async #get(key: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    let best: Uint8Array | undefined;
    for await (const event of this.#search((dht, ended) => dht.get(key, { signal: ended }), signal))
      if (event.name === 'VALUE') best = await this.#better(key, best, event.value);
    if (best !== undefined) return best;
    throw new PeerApiError('RECORD_NOT_FOUND', `There is no record of ${recordKeyText(key)}.`);
  }

  /** Returns the better of two records that the validator accepts. */
  async #better(key: Uint8Array, known: Uint8Array | undefined, value: Uint8Array): Promise<Uint8Array | undefined> {
    const [dht] = this.#dhts;
    const type = recordType(key);
    try {
      await dht?.validators[type]?.(key, value);
    } catch {
      return known;
    }
    if (known === undefined) return value;
    const values = [known, value];
    return values[(await dht?.selectors[type]?.(key, values)) ?? 0] ?? known;
  }

  async #put(key: Uint8Array, value: Uint8Array, signal?: AbortSignal): Promise<void> {
    const [dht] = this.#dhts;
    const validate = dht?.validators[recordType(key)];
    if (dht !== undefined && validate === undefined)
      throw new PeerApiError('RECORD_INVALID', `Records of ${recordKeyText(key)} have no known type.`, {
        hint: 'Use a key that starts with /ipns/ or /pk/.',
      });
    try {
      await validate?.(key, value);
    } catch (cause) {
      throw new PeerApiError('RECORD_INVALID', `The record of ${recordKeyText(key)} is not valid.`, { cause });
    }
    let stored = 0;
    for await (const event of this.#search((found, ended) => found.put(key, value, { signal: ended }), signal))
      if (event.name === 'PEER_RESPONSE' && event.messageName === 'PUT_VALUE') stored++;
    if (stored > 0) return;
    throw new PeerApiError('ROUTING_UNAVAILABLE', `No peer stored the record of ${recordKeyText(key)}.`, {
      hint: 'Connect to DHT servers: see IPFS_PEER_BOOTSTRAP and `swarm connect`.',
    });
  }

  /** Counts a search. @throws ROUTING_UNAVAILABLE at the limit */
  #enter(): void {
    if (this.#searches >= searchesMax)
      throw new PeerApiError('ROUTING_UNAVAILABLE', `${searchesMax} searches run already.`, {
        hint: 'Try again when others have ended.',
      });
    this.#searches++;
  }

  /** Runs one search in all DHTs. @throws ROUTING_UNAVAILABLE, the reason of `signal` */
  async *#search(search: Search, signal?: AbortSignal): AsyncGenerator<QueryEvent> {
    if (this.#dhts.length === 0)
      throw new PeerApiError('ROUTING_UNAVAILABLE', 'The routing of this node is disabled.', {
        hint: 'Set IPFS_PEER_ROUTING to auto, dhtclient or dhtserver.',
      });
    this.#enter();
    const deadline = timeLimit(searchMs);
    const ended = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
    try {
      // A DHT presents what it has itself as a response of this node.
      for await (const event of merge(this.#dhts.map((dht) => endsQuietly(search(dht, ended)))))
        if (event.name !== 'PEER_RESPONSE' || !event.from.equals(this.#node.peerId)) yield event;
    } finally {
      this.#searches--;
    }
    signal?.throwIfAborted();
  }

  #status(): DhtStatus {
    const [dht] = this.#dhts.filter((candidate) => sizeOf(candidate) > 0).concat(this.#dhts);
    if (dht === undefined) return { mode: 'none', buckets: [] };
    return { mode: dht.getMode(), buckets: bucketsOf(dht) };
  }
}

/** Completes a provider without addresses: routers may name the peer alone. */
async function withAddresses(router: FurtherRouter, provider: Provider, signal: AbortSignal): Promise<Provider> {
  const { peer, addresses = [] } = provider;
  if (peer === undefined || addresses.length > 0) return provider;
  const found = await router.findPeer?.(peer, { signal }).catch(() => undefined);
  return found ?? provider;
}

/** Ends a search in one DHT at its failure, for example without peers: the other one may still find something. */
async function* endsQuietly(events: AsyncIterable<QueryEvent>): AsyncGenerator<QueryEvent> {
  try {
    yield* events;
  } catch {
    // The error events of the search name the reasons.
  }
}

/** Converts the events of a search. */
async function* progressOf(events: AsyncIterable<QueryEvent>): AsyncGenerator<RoutingEvent> {
  for await (const event of events) yield* routingEventsFrom(event);
}

function hasAddresses({ addresses = [] }: Provider): boolean {
  return addresses.length > 0;
}

function isNew(found: Set<string>, { peer, addresses = [] }: Provider): boolean {
  // An HTTP gateway may have addresses only.
  if (peer === undefined) return isNewKey(found, addresses.join());
  return isNewKey(found, peer);
}

function isNewKey(found: Set<string>, peer: string): boolean {
  if (found.has(peer)) return false;
  found.add(peer);
  return true;
}
