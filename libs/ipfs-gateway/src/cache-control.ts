import type { Content, Exchange } from './exchange.ts';

const immutable = 'public, max-age=29030400, immutable';

/** Seconds that a page of the gateway may be used while a new one is fetched: 31 days. */
const staleSeconds = 2_678_400;

/** Seconds that a page of the gateway may be cached: a new version of the gateway can change it. */
const pageSeconds = 604_800;

/** Sets Cache-Control for bytes of the content itself. Content of a name without a time to live gets none. */
export function setContentCaching({ headers, origin }: Exchange, { ttlSeconds }: Pick<Content, 'ttlSeconds'>): void {
  if (origin.namespace === 'ipfs') headers['cache-control'] = immutable;
  else if (ttlSeconds !== undefined) headers['cache-control'] = `public, max-age=${ttlSeconds}`;
}

/** Sets Cache-Control for a page that the gateway generates. */
export function setPageCaching({ headers, origin }: Exchange, { ttlSeconds }: Pick<Content, 'ttlSeconds'>): void {
  const seconds = origin.namespace === 'ipfs' ? pageSeconds : ttlSeconds;
  if (seconds !== undefined)
    headers['cache-control'] = `public, max-age=${seconds}, stale-while-revalidate=${staleSeconds}`;
}
