import type { Blockstore } from '@cairn/blockstore';
import { withVerification } from '@cairn/blockstore';
import { catFile } from '@cairn/unixfs';
import { CID } from 'multiformats';
import type { Service } from '../service.ts';
import type { Load } from './load.ts';

/** Checks what a deployment promises, from its stores and not from caches of its processes. */
export class Checks {
  readonly #service: Service;
  readonly #load: Load;
  /** Requests by account whose usage a killed process may have lost. */
  readonly #losable = new Map<string, number>();
  /** CIDs whose bytes were read since the last round that could change them. */
  #verified = 0;

  constructor({ service, load }: { readonly service: Service; readonly load: Load }) {
    this.#service = service;
    this.#load = load;
  }

  get verified(): number {
    return this.#verified;
  }

  /** Counts the requests of the last second, whose usage a process that is killed now may lose. */
  processKilled(): void {
    for (const [account, times] of this.#load.answeredAt) {
      const since = Date.now() - 1000;
      const recent = times.filter((time) => time >= since).length;
      this.#losable.set(account, (this.#losable.get(account) ?? 0) + recent);
    }
  }

  /** Every acknowledged pin is listed, and no other one. */
  async pins(): Promise<void> {
    const stores = await this.#service.stores();
    const store = await stores.pins();
    try {
      for (const account of this.#load.accounts) {
        const listed = new Set<string>();
        for await (const { cid } of store.list(await this.#service.accountId(account))) listed.add(cid.toString());
        const missing = this.#load.ofState(account, 'pinned').filter(({ cid }) => !listed.has(cid));
        const extra = this.#load.ofState(account, 'unpinned').filter(({ cid }) => listed.has(cid));
        if (missing.length + extra.length > 0)
          throw new Error(`${account}: lost pins ${cidsOf(missing)}, returned pins ${cidsOf(extra)}`);
      }
    } finally {
      await store.close();
    }
  }

  /** Every block of every acknowledged pin is in the store and has its bytes. */
  async blocks(): Promise<void> {
    const blocks = await (await this.#service.stores()).blocks();
    try {
      const store = withVerification(blocks);
      const pinned = new Map(
        this.#load.accounts.flatMap((account) =>
          this.#load.ofState(account, 'pinned').map(({ cid, bytes }) => [cid, bytes] as const),
        ),
      );
      const queue = [...pinned];
      const read = async () => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          const [cid, bytes] = next;
          if (!(await contentOf(store, cid)).equals(bytes)) throw new Error(`${cid} has other bytes`);
          this.#verified++;
        }
      };
      await Promise.all(Array.from({ length: 8 }, read));
    } finally {
      await blocks.close();
    }
  }

  /** Usage has each acknowledged request, except those of a killed process in its last second, and no request twice. */
  async usage(): Promise<void> {
    const usage = await (await this.#service.stores()).usage();
    try {
      for (const account of this.#load.accounts) {
        const id = await this.#service.accountId(account);
        const answered = this.#load.answeredAt.get(account)?.length ?? 0;
        const [least, most] = [answered - (this.#losable.get(account) ?? 0), this.#load.sent.get(account) ?? 0];
        let counted = 0;
        for (let tries = 0; counted < least && tries < 200; tries++) {
          if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 50));
          counted = 0;
          const span = { from: Date.now() - 86_400_000, to: Date.now() + 86_400_000 };
          for await (const row of usage.rows(id, span, 'day')) counted += row.requests;
        }
        if (counted < least || counted > most)
          throw new Error(`${account}: usage has ${counted} requests; expected ${least} to ${most}`);
      }
    } finally {
      await usage.close();
    }
  }
}

async function contentOf(store: Blockstore, cid: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of catFile(store, CID.parse(cid))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function cidsOf(contents: readonly { readonly cid: string }[]): string {
  return contents.map(({ cid }) => cid).join(' ') || 'none';
}
