import { type Principal, requireStorage } from '@cairn/auth';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { ipnsLimits, type NameStore } from '@cairn/ipns';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { timeLimit } from '@cairn/platform';
import { keyOf, type ProvideStore } from '@cairn/providing';
import {
  createRoutingServer,
  type RoutingIdentity,
  type RoutingNames,
  type RoutingRequest,
  type RoutingResponse,
} from '@cairn/providing/delegated';
import { isPublicMultiaddr } from '@cairn/public-http';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ClosestPeers, withoutPeerId } from './closest-peers.ts';
import { ContentPolicy } from './content-policy.ts';
import { NAME_STORE } from './stored-names.ts';

/** Injection token of the `ProvideStore`. */
export const PROVIDE_STORE = Symbol('PROVIDE_STORE');

/** Milliseconds for which the description of the peer is kept. */
const identityMs = 10_000;

/** Origin of a request. */
export interface RoutingCaller {
  readonly principal: Principal | undefined;
  readonly isSearching: boolean;
}

/** Delegated routing for what the peer of this home announces. Without a peer all lists are empty. */
@Injectable()
export class RoutingV1 implements OnApplicationShutdown {
  #identity: Promise<RoutingIdentity | undefined> | undefined;
  #identityUntil = 0;
  readonly #closest: ClosestPeers | undefined;

  constructor(
    @Inject(PROVIDE_STORE) private readonly provided: ProvideStore,
    @Inject(PEER_API) private readonly peer: PeerApi | undefined,
    @Inject(NAME_STORE) private readonly names: NameStore,
    @Inject(ContentPolicy) private readonly policy: ContentPolicy,
  ) {
    this.#closest = peer && new ClosestPeers(peer);
  }

  /** @param isSearching permits a search of the DHT */
  handle(request: RoutingRequest, { principal, isSearching }: RoutingCaller): Promise<RoutingResponse> {
    const closest = isSearching ? this.#closest : undefined;
    return createRoutingServer({
      ...(closest && { closest: async (key) => await closest.find(key, { isPrivate: await this.#isPrivate() }) }),
      isProvided: (cid) => this.#isProvided(cid),
      identity: () => this.#describe(),
      names: this.#namesFor(principal),
    }).handle(request);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.provided.close();
  }

  async #isProvided(cid: CID): Promise<boolean> {
    if (this.policy.refusal({ path: `/ipfs/${cid}`, roots: [cid], names: [] }) !== undefined) return false;
    return (await this.provided.get(keyOf(cid.multihash.bytes))) !== undefined;
  }

  /** Reports whether this node is in a private network: it has no public address. */
  async #isPrivate(): Promise<boolean> {
    const identity = await this.#describe();
    return identity?.addresses.some(isPublicMultiaddr) === false;
  }

  #describe(): Promise<RoutingIdentity | undefined> {
    if (this.peer === undefined) return Promise.resolve(undefined);
    if (this.#identity !== undefined && Date.now() < this.#identityUntil) return this.#identity;
    this.#identityUntil = Date.now() + identityMs;
    this.#identity = this.peer
      .describe(undefined, { signal: timeLimit(identityMs) })
      .then(({ id, addresses }) => ({ id, addresses: addresses.map(withoutPeerId) }))
      .catch(() => undefined);
    return this.#identity;
  }

  /** Records of names. An account stores records with a key that may write. */
  #namesFor(principal: Principal | undefined): RoutingNames {
    const { records } = this.names;
    const reads: RoutingNames = {
      bytesMax: ipnsLimits.recordBytesMax,
      async get(name) {
        const record = await records.get(name);
        if (record === undefined) return undefined;
        const { ttlNs, validUntilMs } = record.fields;
        return { bytes: record.bytes, ttlSeconds: Number(ttlNs / 1_000_000_000n), expiresAt: validUntilMs };
      },
    };
    if (principal === undefined) return reads;
    return {
      ...reads,
      async put(name, bytes) {
        requireStorage(principal.key.policy, 'add');
        try {
          await records.put(name, bytes, { account: principal.account.id });
          return undefined;
        } catch (error) {
          if (isCairnError(error, 'IPNS_RECORD_INVALID')) return error.message;
          throw error;
        }
      },
    };
  }
}
