import { setImmediate as turn } from 'node:timers/promises';
import type { Blockstore } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { linksOf, UndecodableBlockError } from '@cairn/pinning';
import { decodePbNode, type PbLink } from '@cairn/unixfs';
import { ApiError } from '../api-error.ts';

/** One link of a block. */
export interface Edge {
  readonly src: CID;
  readonly dst: CID;
  readonly name: string;
}

export interface RefsWalkOptions {
  /** Links at this depth are the last; 1 are those of the root. Below 0 there is no bound. */
  readonly depthMax: number;
  /** Each CID once over all roots. */
  readonly isUnique: boolean;
  readonly signal: AbortSignal;
}

interface Step extends Edge {
  readonly depth: number;
}

/** Links between two turns of the event loop. */
const turnEvery = 256;
/** Names of blocks that one request holds in memory. */
const seenMax = 4_000_000;
/**
 * Links of blocks that were followed before. Without `isUnique` a block is followed wherever it occurs, and 60 blocks can
 * have more paths than any client reads.
 */
const repeatedMax = 100_000;

/** The walk of Kubo's `refs`: depth first, and a link is given only when the block that it leads to is there. */
export class RefsWalk {
  readonly #store: Pick<Blockstore, 'get' | 'has'>;
  readonly #options: RefsWalkOptions;
  /** Smallest depth at which each CID was met; with `isUnique` of all, else of those that were followed. */
  readonly #depths = new Map<string, number>();
  #repeated = 0;

  constructor(store: Pick<Blockstore, 'get' | 'has'>, options: RefsWalkOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Links below a root. @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, CODEC_UNSUPPORTED; ApiError 400 at the bound */
  async *below(root: CID): AsyncGenerator<Edge> {
    const { signal } = this.#options;
    const open = await this.#linksOf(root, 1);
    let visited = 0;
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      signal.throwIfAborted();
      // A store may answer without a turn of the event loop; other requests want theirs.
      if (++visited % turnEvery === 0) await turn();
      const { isGiven, isFollowed } = this.#visit(step);
      if (!isGiven && !isFollowed) continue;
      const next = isFollowed ? await this.#linksOf(step.dst, step.depth + 1) : await this.#check(step.dst);
      if (isFollowed && next.length > 0) this.#bound(step, next.length);
      if (isGiven) yield step;
      for (const one of next) open.push(one);
    }
  }

  #visit({ dst, depth }: Step): { readonly isGiven: boolean; readonly isFollowed: boolean } {
    const { depthMax, isUnique } = this.#options;
    if (depthMax >= 0 && depth > depthMax) return { isGiven: false, isFollowed: false };
    const isFollowed = depth !== depthMax;
    if (!isUnique) return { isGiven: true, isFollowed };
    const before = this.#depths.get(dst.toString());
    if (before !== undefined && (depthMax < 0 || before <= depth)) return { isGiven: false, isFollowed: false };
    this.#depths.set(dst.toString(), depth);
    return { isGiven: before === undefined, isFollowed };
  }

  /** @throws ApiError 400 where the walk would take more memory or time than one request may */
  #bound({ dst, depth }: Step, links: number): void {
    if (!this.#options.isUnique) {
      const key = dst.toString();
      if (this.#depths.has(key)) this.#repeated += links;
      else this.#depths.set(key, depth);
    }
    if (this.#depths.size > seenMax) throw new ApiError(400, `there are more than ${seenMax} blocks`);
    if (this.#repeated > repeatedMax)
      throw new ApiError(400, `more than ${repeatedMax} links repeat earlier ones; ask with unique=true`);
  }

  /** Makes sure that a block is there. */
  async #check(cid: CID): Promise<Step[]> {
    if (!(await this.#store.has(cid))) await this.#store.get(cid, { signal: this.#options.signal });
    return [];
  }

  /** Links of a block in reverse, as a stack takes them. */
  async #linksOf(src: CID, depth: number): Promise<Step[]> {
    if (src.code === codecs.raw) return await this.#check(src);
    const bytes = await this.#store.get(src, { signal: this.#options.signal });
    const links =
      src.code === codecs['dag-pb']
        ? pbLinks(src, bytes).map(({ cid, name }) => ({ src, dst: cid, name, depth }))
        : linksOf(src, bytes).map((dst) => ({ src, dst, name: '', depth }));
    return links.reverse();
  }
}

/** @throws DAG_INVALID */
function pbLinks(cid: CID, bytes: Uint8Array): readonly PbLink[] {
  try {
    return decodePbNode(bytes).links;
  } catch (error) {
    throw new UndecodableBlockError(cid.toString(), error);
  }
}
