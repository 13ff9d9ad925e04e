import type { AnnounceRecord, Announcer } from '../content-router.ts';
import { regionOf } from '../keyspace.ts';
import { rawCidOf } from './delegated-announcer.ts';
import { requestRouter, routerName } from './request-router.ts';

export interface KuboAnnouncerOptions {
  /** Address of the RPC of a self-hosted Kubo, such as `http://127.0.0.1:5001`. */
  readonly url: string;
  /** Value of the field Authorization. */
  readonly authorization?: string;
  readonly fetch?: typeof globalThis.fetch;
}

const everything = regionOf(new Uint8Array(32), 0);
/** CIDs of one request: their text is about 4 KiB. */
const requestCids = 64;

/** Announces by a self-hosted Kubo. It announces itself, and only blocks that it has. */
export function createKuboAnnouncer({ url, authorization, fetch = globalThis.fetch }: KuboAnnouncerOptions): Announcer {
  const router = routerName(url);
  const headers: Readonly<Record<string, string>> = authorization === undefined ? {} : { authorization };

  const provide = async (records: readonly AnnounceRecord[], signal: AbortSignal | undefined): Promise<boolean> => {
    const query = records.map(({ multihash }) => `arg=${rawCidOf(multihash)}`).join('&');
    const target = `${url.replace(/\/+$/, '')}/api/v0/routing/provide?${query}`;
    const { response, end } = await requestRouter(fetch, target, router, { signal, method: 'POST', headers });
    try {
      const text = await response.text();
      // Kubo reports an error after the status in the last event.
      return response.status === 200 && !/"Type":3\b/.test(text.slice(-4096));
    } finally {
      end();
    }
  };

  return {
    async openRegion() {
      return {
        region: everything,
        async announce(records, { signal } = {}) {
          const done: boolean[] = [];
          for (let at = 0; at < records.length; at += requestCids) {
            const page = records.slice(at, at + requestCids);
            const isAnnounced = await provide(page, signal);
            done.push(...page.map(() => isAnnounced));
          }
          return done;
        },
      };
    },
  };
}
