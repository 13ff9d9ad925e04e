import type { Provider } from '@cairn/block-exchange';
import type { CID } from '@cairn/cid';
import { peerIdFromString } from '@libp2p/peer-id';
import { multiaddr } from '@multiformats/multiaddr';
import type { ContentRouter, RouterOptions } from '../content-router.ts';
import { limits } from '../limits.ts';
import { readRecords } from './read-answer.ts';
import { requestRouter, routerName, routerUrl } from './request-router.ts';

export interface DelegatedRouterOptions {
  /** Address of the router, such as `https://delegated-ipfs.dev`. Configured by the operator, never by a request. */
  readonly url: string;
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Routing by an HTTP server of Delegated Routing V1 (https://specs.ipfs.tech/routing/http-routing-v1/). Redirects are refused:
 * they could lead into the network of this node.
 */
export function createDelegatedRouter({ url, fetch = globalThis.fetch }: DelegatedRouterOptions): ContentRouter {
  const router = routerName(url);
  const request = (path: string, signal: AbortSignal | undefined) =>
    requestRouter(fetch, routerUrl(url, path), router, {
      signal,
      headers: { accept: 'application/x-ndjson, application/json;q=0.9' },
    });

  return {
    async *findProviders(cid: CID, { signal }: RouterOptions = {}) {
      const { response, end } = await request(`providers/${cid.toV1()}`, signal);
      try {
        for await (const record of readRecords(response, 'Providers', router)) {
          const provider = providerFrom(record);
          if (provider !== undefined) yield provider;
        }
      } finally {
        end();
      }
    },
    async findPeer(peer: string, { signal }: RouterOptions = {}) {
      const { response, end } = await request(`peers/${peerIdFromString(peer).toCID()}`, signal);
      try {
        for await (const record of readRecords(response, 'Peers', router)) {
          const found = providerFrom(record);
          if (found?.peer === peer) return found;
        }
        return undefined;
      } finally {
        end();
      }
    },
  };
}

/** Returns the provider of a record; undefined for a record without a valid peer ID or address. */
function providerFrom({ Schema, ID, Addrs }: Readonly<Record<string, unknown>>): Provider | undefined {
  if (Schema !== 'peer' && Schema !== 'bitswap') return undefined;
  const peer = typeof ID === 'string' ? peerTextOf(ID) : undefined;
  const addresses = Array.isArray(Addrs) ? Addrs.slice(0, limits.addressesMax).filter(isAddress) : [];
  if (peer === undefined && addresses.length === 0) return undefined;
  return { ...(peer !== undefined && { peer }), addresses };
}

function peerTextOf(text: string): string | undefined {
  if (text.length > limits.peerCharactersMax) return undefined;
  try {
    return peerIdFromString(text).toString();
  } catch {
    return undefined;
  }
}

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > limits.addressCharactersMax) return false;
  try {
    multiaddr(value);
    return true;
  } catch {
    return false;
  }
}
