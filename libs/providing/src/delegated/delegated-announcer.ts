import { createHash } from 'node:crypto';
import { CID, codecs } from '@cairn/cid';
import type { AnnounceRecord, Announcer } from '../content-router.ts';
import { routingUnavailable } from '../errors.ts';
import { regionOf } from '../keyspace.ts';
import { requestRouter, routerName, routerUrl } from './request-router.ts';

export interface DelegatedAnnouncerOptions {
  /** Address of the router. */
  readonly url: string;
  /** Identity of this node. */
  readonly peer: string;
  readonly addresses: () => readonly string[];
  /** Signs with the key of the identity. */
  readonly sign: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;
  /** Time for which the router keeps a record. Default: 48 hours. */
  readonly validityMs?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
}

const everything = regionOf(new Uint8Array(32), 0);
const nanoseconds = 1_000_000;

/**
 * Announces by a delegated router with signed bitswap records: `PUT /routing/v1/providers/` of IPIP-526, which indexers accept.
 * No newer standard exists (docs/decisions/provide-sweep.md).
 */
export function createDelegatedAnnouncer(options: DelegatedAnnouncerOptions): Announcer {
  const { url, peer, addresses, sign, validityMs = 172_800_000, fetch = globalThis.fetch, now = Date.now } = options;
  const router = routerName(url);

  const put = async (records: readonly AnnounceRecord[], signal: AbortSignal | undefined): Promise<boolean> => {
    const payload = JSON.stringify({
      Keys: records.map(({ multihash }) => rawCidOf(multihash).toString()),
      Timestamp: now(),
      AdvisoryTTL: validityMs * nanoseconds,
      ID: peer,
      Addrs: addresses(),
    });
    const signature = await sign(createHash('sha256').update(payload).digest());
    // The server verifies the signature against the bytes of the payload, so they are not encoded again.
    const text = JSON.stringify(`m${Buffer.from(signature).toString('base64').replace(/=+$/, '')}`);
    const record = `{"Schema":"bitswap","Protocol":"transport-bitswap","Signature":${text},"Payload":${payload}}`;
    const { response, end } = await requestRouter(fetch, routerUrl(url, 'providers/'), router, {
      signal,
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: `{"Providers":[${record}]}`,
    });
    end();
    if (response.status === 501 || response.status >= 500)
      throw routingUnavailable(`the router ${router} answers announcements with status ${response.status}`);
    return response.status === 200;
  };

  return {
    async openRegion() {
      return {
        region: everything,
        async announce(records, { signal } = {}) {
          const isAnnounced = await put(records, signal);
          return records.map(() => isAnnounced);
        },
      };
    },
  };
}

/** Returns a CID with a multihash. Routers ignore its codec. */
export function rawCidOf(multihash: Uint8Array): CID {
  return CID.decode(Uint8Array.of(1, codecs.raw, ...multihash));
}
