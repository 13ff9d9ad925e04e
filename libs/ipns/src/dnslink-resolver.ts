import { Resolver } from 'node:dns/promises';
import { parseNsMap } from './ns-map.ts';
import type { DnsLink } from './resolve-name.ts';
import { type AnswerChannel, SharedAnswers } from './shared-answers.ts';

/** Milliseconds that a DNS answer, also a negative one, is used. Node reports no time to live of TXT records. */
const cacheMs = 60_000;

/** Domains in the cache: a Host field can name any. */
const cachedMax = 10_000;

/** Concurrent DNS queries. Further names count as unknown, so that a flood of names costs little. */
const queriesMax = 100;

export interface DnslinkResolverOptions {
  /** Replaces DNS for its domains, in the form of `IPFS_NS_MAP` of Kubo. */
  readonly map?: string | undefined;
  /** Processes of the same service: a value that one of them finds is used by all. */
  readonly channel?: AnswerChannel | undefined;
}

/** Finds DNSLink values: in a fixed map, else in the TXT records of _dnslink.<domain> (https://dnslink.dev/). */
export class DnslinkResolver {
  readonly #fixed: ReadonlyMap<string, DnsLink>;
  readonly #cached: SharedAnswers<DnsLink>;
  readonly #dns = new Resolver({ timeout: 2000, tries: 2 });
  #queries = 0;

  /** @throws TypeError for a map in another form */
  constructor({ map = '', channel }: DnslinkResolverOptions = {}) {
    this.#fixed = parseNsMap(map);
    this.#cached = new SharedAnswers({ topic: 'found DNSLinks', namesMax: cachedMax, channel, now: Date.now });
  }

  async find(domain: string): Promise<DnsLink | undefined> {
    const name = domain.toLowerCase();
    const fixed = this.#fixed.get(name);
    if (fixed !== undefined) return fixed;
    // Top-level domains have no DNSLink: a word that is no domain costs no query.
    if (!name.includes('.')) return undefined;
    const cached = this.#cached.get(name);
    if (cached !== undefined) return cached.value;
    if (this.#queries >= queriesMax) return undefined;
    this.#queries++;
    try {
      const link = await this.#query(name);
      this.#cached.set(name, { value: link, untilMs: Date.now() + cacheMs });
      return link;
    } finally {
      this.#queries--;
    }
  }

  async #query(domain: string): Promise<DnsLink | undefined> {
    // A domain without the record, and a server that does not answer, are the same to a reader.
    const records = await this.#dns.resolveTxt(`_dnslink.${domain}`).catch(() => []);
    const values = records.map((parts) => parts.join('')).filter((text) => /^dnslink=\/ip[fn]s\/./.test(text));
    const [first] = values.sort();
    return first === undefined ? undefined : { path: first.slice('dnslink='.length), ttlSeconds: cacheMs / 1000 };
  }
}
