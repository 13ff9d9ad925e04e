import type { CID } from '@cairn/cid';
import { peerApiLimits } from '../limits.ts';
import type { PeerApi } from '../peer-api.ts';
import { HttpCalls, type TokenSource } from './http-calls.ts';
import { RemoteExchange } from './remote-exchange.ts';

export interface PeerClientOptions {
  /** Address of the peer process, such as `http://127.0.0.1:5011`. */
  readonly url: string;
  /** Returns a service token for the peer. Called for each request and connection. */
  readonly token: TokenSource;
}

/** Opens a {@link PeerApi} whose work another process does. It connects in the background and again after each loss. */
export function openPeerClient({ url, token }: PeerClientOptions): PeerApi {
  const calls = new HttpCalls(url, token);
  const exchange = new RemoteExchange({ url, token });
  return {
    exchange,
    describe: (peer, { signal, isLocal } = {}) => calls.value('describe', { peer, isLocal }, signal),
    swarm: {
      peers: () => calls.value('swarm/peers', {}),
      addresses: () => calls.value('swarm/addresses', {}),
      listenAddresses: () => calls.value('swarm/listenAddresses', {}),
      connect: (address, { signal } = {}) => calls.value('swarm/connect', { address }, signal),
      disconnect: (address) => calls.value('swarm/disconnect', { address }),
      peering: () => calls.value('swarm/peering', {}),
      addPeering: (address) => calls.value('swarm/addPeering', { address }),
      removePeering: (peer) => calls.value('swarm/removePeering', { peer }),
      filters: () => calls.value('swarm/filters', {}),
      addFilters: (filters) => calls.value('swarm/addFilters', { filters: [...filters] }),
      removeFilters: (filters) => calls.value('swarm/removeFilters', { filters: [...filters] }),
    },
    bitswap: {
      status: () => calls.value('bitswap/status', {}),
      wantlist: (peer) => calls.value('bitswap/wantlist', { peer }),
      ledger: (peer) => calls.value('bitswap/ledger', { peer }),
    },
    routing: {
      findProviders: (cid, { count, signal } = {}) => calls.items('routing/findProviders', { cid, count }, signal),
      findPeer: (peer, { signal } = {}) => calls.items('routing/findPeer', { peer }, signal),
      findClosest: (peer, { signal } = {}) => calls.items('routing/findClosest', { peer }, signal),
      provide: async function* (cids, { signal } = {}) {
        for (const batch of batches(cids)) yield* calls.items('routing/provide', { cids: batch }, signal);
      },
      get: (key, { signal } = {}) => calls.value('routing/get', { key: own(key) }, signal),
      put: (key, value, { signal } = {}) => calls.value('routing/put', { key: own(key), value: own(value) }, signal),
      status: () => calls.value('routing/status', {}),
    },
    ping: (peer, { count, signal } = {}) => calls.items('ping', { peer, count }, signal),
    bootstrapAddresses: () => calls.value('bootstrapAddresses', {}),
    bandwidth: ({ peer, protocol } = {}) => calls.value('bandwidth', { peer, protocol }),
    provide: {
      status: () => calls.value('provide/status', {}),
      added: async (roots) => {
        for (const batch of batches(roots)) await calls.value('provide/added', { roots: batch });
      },
      removed: async (roots) => {
        for (const batch of batches(roots)) await calls.value('provide/removed', { roots: batch });
      },
    },
    close: () => exchange.close(),
  };
}

/** Splits a list into those of one call. */
function* batches(cids: readonly CID[]): Generator<CID[]> {
  for (let at = 0; at < cids.length; at += peerApiLimits.cidsMax) yield cids.slice(at, at + peerApiLimits.cidsMax);
}

/** Gives bytes the type of a decoded parameter. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
