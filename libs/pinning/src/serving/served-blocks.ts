import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { Environment, type StoreFormat } from '@cairn/embedded-store';
import { isCairnError } from '@cairn/errors';
import { CidList } from '../cid-list.ts';
import { linksOf } from '../links.ts';
import { TimeSlicer } from '../time-slicer.ts';
import { ReferenceTables } from './reference-tables.ts';
import { RootTable } from './root-table.ts';
import type { ServedRoots } from './served-roots.ts';
import type { Work } from './work.ts';

export const servedBlocksFormat: StoreFormat = { name: 'cairn-served', version: 1 };

export interface ServedBlocksOptions {
  /** Directory of the index. It follows from pins and blocks, so it may be deleted. */
  readonly directory: string;
  /** Verified reads of nodes. */
  readonly blocks: Pick<Blockstore, 'get'>;
  /** Returns the origins of roots, called for each refresh. An empty list serves nothing. */
  readonly origins: () => Promise<readonly ServedRoots[]> | readonly ServedRoots[];
  /** Called with blocks that are served from now on, as CIDs of version 1. A block with a direct pin has the codec raw. */
  readonly onServed?: (cids: readonly CID[]) => void;
  readonly onError?: (error: unknown) => void;
  /** Pause between refreshes in milliseconds, if a refresh takes less than a twentieth of it. Default: 1000. */
  readonly refreshMs?: number;
}

export interface ServedBlocksStatus {
  /** Blocks that are served. */
  readonly blocks: number;
  readonly roots: number;
  /** Queued changes. While it is above 0, recent pins may be incomplete. */
  readonly waiting: number;
  /** Nodes below a root whose block is not stored. */
  readonly missing: number;
}

/** Index of the blocks below served roots, which answers in a microsecond. */
export interface ServedBlocks {
  /** Returns one decision for each CID. */
  mayServe(cids: readonly CID[]): boolean[];
  /** Compares roots with pins and applies all changes, for example after a pin was reported. */
  refresh(): Promise<void>;
  /** Examines roots that were pinned or unpinned, and applies their changes. Costs no comparison of all roots. */
  changed(roots: readonly CID[]): Promise<void>;
  status(): ServedBlocksStatus;
  close(): Promise<void>;
}

/** @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openServedBlocks(options: ServedBlocksOptions): Promise<ServedBlocks> {
  const environment = await Environment.open({ directory: options.directory, format: servedBlocksFormat });
  return new Index(environment, options);
}

const refreshMsDefault = 1000;
/** A refresh runs for at most this share of the time. */
const refreshShare = 1 / 20;
/** Reported roots that wait. Comparisons find further ones. */
const reportedMax = 10_000;
const worksPerStep = 64;
const changesPerTransaction = 512;
const missingPerRefresh = 64;

class Index implements ServedBlocks {
  readonly #options: ServedBlocksOptions;
  readonly #environment: Environment;
  readonly #references: ReferenceTables;
  readonly #roots: RootTable;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** True if the next run compares all roots. */
  #isNextFull = false;
  readonly #reported = new Map<string, CID>();
  #timer: NodeJS.Timeout | undefined;
  #lastMissing: Uint8Array | undefined;
  #isClosed = false;

  constructor(environment: Environment, options: ServedBlocksOptions) {
    this.#options = options;
    this.#environment = environment;
    this.#references = new ReferenceTables(environment);
    this.#roots = new RootTable(environment, this.#references);
    this.#schedule(0);
  }

  mayServe(cids: readonly CID[]): boolean[] {
    return cids.map((cid) => this.#references.has(cid));
  }

  /** Calls during a run share the next one, which sees all pins that were stored before the call. */
  refresh(): Promise<void> {
    return this.#request({ isFull: true });
  }

  changed(roots: readonly CID[]): Promise<void> {
    for (const root of roots) if (this.#reported.size < reportedMax) this.#reported.set(root.toString(), root);
    return this.#request({ isFull: false });
  }

  #request({ isFull }: { readonly isFull: boolean }): Promise<void> {
    if (this.#running === undefined) return this.#start(isFull);
    this.#isNextFull ||= isFull;
    this.#next ??= this.#running.catch(() => {}).then(() => this.#start(this.#isNextFull));
    return this.#next;
  }

  status(): ServedBlocksStatus {
    const { blocks, waiting, missing } = this.#references;
    return { blocks, roots: this.#roots.count, waiting, missing };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await Promise.allSettled([this.#running, this.#next]);
    await this.#environment.close();
  }

  #start(isFull: boolean): Promise<void> {
    this.#next = undefined;
    this.#isNextFull = false;
    if (this.#isClosed) return Promise.resolve();
    if (isFull) clearTimeout(this.#timer);
    const began = performance.now();
    this.#running = this.#run(isFull).finally(() => {
      this.#running = undefined;
      if (!isFull) return;
      const { refreshMs = refreshMsDefault } = this.#options;
      this.#schedule(Math.max(refreshMs, (performance.now() - began) / refreshShare));
    });
    return this.#running;
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.refresh().catch((error: unknown) => this.#options.onError?.(error));
    }, ms).unref();
  }

  async #run(isFull: boolean): Promise<void> {
    const origins = await this.#options.origins();
    const reported = [...this.#reported.values()];
    this.#reported.clear();
    if (reported.length > 0) await this.#roots.examine(origins, reported);
    if (isFull) await this.#roots.refresh(origins);
    await this.#drain();
    if (!isFull || this.#references.missing === 0) return;
    await this.#retryMissing();
    await this.#drain();
  }

  async #drain(): Promise<void> {
    const slicer = new TimeSlicer();
    for (;;) {
      const works = this.#references.next(worksPerStep);
      if (works.length === 0 || this.#isClosed) return;
      const links = new Map<Work, CidList | undefined>();
      for (const { work } of works)
        if (this.#references.needsLinks(work)) links.set(work, await this.#linksOf(work.cid));
      const added = await this.#environment.transaction(() => {
        let changes = 0;
        for (const { key, work } of works) {
          // A node that another work of this step has expanded needs no links; one that is new waits for the next step.
          if (this.#references.needsLinks(work) && !links.has(work)) break;
          changes += this.#references.take(key, work, links.get(work));
          if (changes >= changesPerTransaction) break;
        }
        return this.#references.takeAdded();
      });
      if (added.length > 0) this.#options.onServed?.(added);
      await slicer.step();
    }
  }

  /** Returns undefined for a block that is not stored or corrupt. */
  async #linksOf(cid: CID): Promise<CidList | undefined> {
    try {
      return await linksOf(cid, await this.#options.blocks.get(cid));
    } catch (error) {
      // The links of such a block stay unknown: it is served alone.
      if (isCairnError(error, 'CODEC_UNSUPPORTED') || isCairnError(error, 'DAG_INVALID')) return new CidList();
      if (!isCairnError(error, 'BLOCK_NOT_FOUND')) this.#options.onError?.(error);
      return undefined;
    }
  }

  async #retryMissing(): Promise<void> {
    const nodes = this.#references.missingNodes(missingPerRefresh, this.#lastMissing);
    this.#lastMissing = nodes.length < missingPerRefresh ? undefined : nodes.at(-1)?.bytes;
    await this.#environment.transaction(() => {
      for (const cid of nodes) this.#references.retryMissing(cid);
    });
  }
}
