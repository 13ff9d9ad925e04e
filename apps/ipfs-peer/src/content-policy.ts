import { join } from 'node:path';
import type { ServingPolicy } from '@cairn/bitswap';
import type { BlockExchange } from '@cairn/block-exchange';
import type { CID } from '@cairn/cid';
import { ContentDeniedError, type Denylists, openDenylists, reportOf } from '@cairn/denylist';
import type { PeerApi } from '@cairn/peer-api';
import { type Logger, type Registry, registerCounter, registerGauge } from '@cairn/service-kit';
import type { IpfsPeerSettings } from './settings.ts';

/** Keeps denied content from peers: it is not served, not fetched, and not announced. */
export class ContentPolicy {
  readonly #denylists: Denylists;
  readonly #listeners: (() => void)[];
  readonly #refused = { serve: 0, fetch: 0, provide: 0 };

  private constructor(denylists: Denylists, listeners: (() => void)[]) {
    this.#denylists = denylists;
    this.#listeners = listeners;
  }

  /** Reads the denylists. @throws DENYLIST_INVALID */
  static async open(
    { CAIRN_DENYLISTS, CAIRN_HOME }: Pick<IpfsPeerSettings, 'CAIRN_DENYLISTS' | 'CAIRN_HOME'>,
    logger: Pick<Logger, 'info' | 'warn' | 'error'>,
  ): Promise<ContentPolicy> {
    const listeners: (() => void)[] = [];
    const denylists = await openDenylists({
      paths: [CAIRN_DENYLISTS ?? join(CAIRN_HOME, 'denylists')],
      onEvent: (event) => {
        const { level, message, fields } = reportOf(event);
        logger[level](fields, message);
        for (const listener of listeners) listener();
      },
    });
    return new ContentPolicy(denylists, listeners);
  }

  /** Calls the listener after each change of the denylists. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Policy of bitswap. It is asked for each answer, so that a changed list applies to waiting peers. */
  readonly serving: ServingPolicy = {
    // The schedule of announcements asks without a peer.
    mayServe: (cids, peer) => cids.map((cid) => !this.#isDenied(cid, peer === '' ? 'provide' : 'serve')),
  };

  /** Returns the calls of the peer without fetches and announcements of denied content. They throw CONTENT_DENIED. */
  guard<Api extends Pick<PeerApi, 'exchange' | 'routing'>>(api: Api): Api {
    const { exchange, routing } = api;
    const provide: PeerApi['routing']['provide'] = (cids, options) => {
      for (const cid of cids) this.#assertAllowed(cid, 'provide');
      return routing.provide(cids, options);
    };
    return { ...api, exchange: this.#guardExchange(exchange), routing: { ...routing, provide } };
  }

  registerMetrics(registry: Registry): void {
    registerCounter(
      registry,
      {
        name: 'cairn_ipfs_peer_denied_total',
        help: 'Answers, fetches and announcements that denylists refused.',
        labelNames: ['kind'],
      },
      () => Object.entries(this.#refused).map(([kind, count]) => [{ kind }, count]),
    );
    registerGauge(registry, 'cairn_ipfs_peer_denylist_rules', 'Rules of the denylists in effect.', () =>
      this.#denylists.files().reduce((sum, { rules }) => sum + rules, 0),
    );
  }

  async close(): Promise<void> {
    await this.#denylists.close();
  }

  #guardExchange(exchange: BlockExchange): BlockExchange {
    const guarded =
      (fetch: BlockExchange['fetch']): BlockExchange['fetch'] =>
      async (cid, options) => {
        this.#assertAllowed(cid, 'fetch');
        return await fetch(cid, options);
      };
    return {
      fetch: guarded((cid, options) => exchange.fetch(cid, options)),
      openSession: (options) => {
        const session = exchange.openSession(options);
        return {
          fetch: guarded((cid, fetchOptions) => session.fetch(cid, fetchOptions)),
          addProviders: (providers) => session.addProviders(providers),
          close: () => session.close(),
        };
      },
      announce: (cids) => exchange.announce(cids),
      peers: () => exchange.peers(),
      close: () => exchange.close(),
    };
  }

  #isDenied(cid: CID, kind: 'serve' | 'fetch' | 'provide'): boolean {
    const isDenied = this.#denylists.cid(cid) !== undefined;
    if (isDenied) this.#refused[kind]++;
    return isDenied;
  }

  #assertAllowed(cid: CID, kind: 'fetch' | 'provide'): void {
    const denial = this.#denylists.cid(cid);
    if (denial === undefined) return;
    this.#refused[kind]++;
    throw new ContentDeniedError(cid.toString(), denial);
  }
}
