import type { CID } from '@cairn/cid';
import { codecs } from '@cairn/cid';
import { Inject, Injectable } from '@nestjs/common';
import { Upstream } from '../upstream.ts';

export type FileKind = 'file' | 'folder';

/** Limits of the lookup of kinds; times in milliseconds. */
const kindLimits = {
  /** Cached kinds. The kind of a CID never changes. */
  keptMax: 20_000,
  /** Concurrent requests to the storage API, for all pages. */
  underWayMax: 8,
  /** Time that a page waits. Kinds that arrive later are shown at its next poll. */
  waitMs: 400,
} as const;

/** Distinguishes files from folders. The console pays for these reads, not the customer. */
@Injectable()
export class FileKinds {
  /** Ordered by last use. */
  readonly #known = new Map<string, FileKind>();
  readonly #asked = new Map<string, Promise<void>>();
  #underWay = 0;

  constructor(@Inject(Upstream) private readonly upstream: Pick<Upstream, 'storage'>) {}

  /** Kinds of these CIDs that are found within the wait. */
  async of(accountId: string, cids: readonly CID[]): Promise<ReadonlyMap<string, FileKind>> {
    const end = performance.now() + kindLimits.waitMs;
    const unknown = cids.filter((cid) => cid.code === codecs['dag-pb'] && !this.#known.has(cid.toString()));
    const asking: Promise<void>[] = [];
    for (const cid of unknown) {
      if (this.#underWay >= kindLimits.underWayMax) await Promise.race([...this.#asked.values(), sleep(end)]);
      if (performance.now() >= end) break;
      asking.push(this.#ask(accountId, cid.toString()));
    }
    if (asking.length > 0) await Promise.race([Promise.all(asking), sleep(end)]);
    const kinds = new Map<string, FileKind>();
    for (const cid of cids) {
      const text = cid.toString();
      const kind = cid.code === codecs['dag-pb'] ? this.#known.get(text) : 'file';
      if (kind === undefined) continue;
      kinds.set(text, kind);
      if (this.#known.delete(text)) this.#known.set(text, kind);
    }
    return kinds;
  }

  #ask(accountId: string, cid: string): Promise<void> {
    const asked = this.#asked.get(cid);
    if (asked !== undefined) return asked;
    this.#underWay++;
    const asking = this.#find(accountId, cid)
      // Without a card or with a missing block the kind stays unknown, and the page still shows the row.
      .catch(() => {})
      .finally(() => {
        this.#underWay--;
        this.#asked.delete(cid);
      });
    this.#asked.set(cid, asking);
    return asking;
  }

  async #find(accountId: string, cid: string): Promise<void> {
    const { status, body } = await this.upstream.storage(accountId, `files/stat?offline=true&arg=/ipfs/${cid}`, {
      payer: 'service',
    });
    const text = await body.text();
    if (status !== 200) return;
    const { Type } = JSON.parse(text) as { readonly Type: string };
    this.#known.set(cid, Type === 'directory' ? 'folder' : 'file');
    const [oldest] = this.#known.keys();
    if (this.#known.size > kindLimits.keptMax && oldest !== undefined) this.#known.delete(oldest);
  }
}

function sleep(until: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())).unref());
}
