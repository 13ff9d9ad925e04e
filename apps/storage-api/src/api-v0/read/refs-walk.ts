import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { cidKey, linksOf, UndecodableBlockError } from '@cairn/pinning';
import { readPbNode } from '@cairn/unixfs';
import { ApiError } from '../api-error.ts';
import { workOf } from '../with-work.ts';

/** One link of a block. */
export interface Edge {
  readonly src: CID;
  readonly dst: CID;
  readonly name: string;
}

export interface RefsWalkOptions {
  /** Depth of the last links; 1 is that of the root's links. A negative depth is unbounded. */
  readonly depthMax: number;
  /** Lists each CID once over all roots. */
  readonly isUnique: boolean;
  readonly signal: AbortSignal;
}

interface Step extends Edge {
  readonly depth: number;
}

/** A block whose links are followed. */
interface Frame {
  readonly src: CID;
  readonly depth: number;
  readonly length: number;
  /** Bytes that the links hold in memory. */
  readonly bytes: number;
  readonly linkAt: (index: number) => Pick<Edge, 'dst' | 'name'>;
  next: number;
}

/** Bytes of the blocks between the root and the current position of the walk. */
const openBytesMax = 64 * 1024 * 1024;
/** CIDs that one request holds in memory. */
const seenMax = 4_000_000;
/**
 * Links of blocks that were followed before. Without `isUnique` a block is followed at each occurrence, and 60
 * blocks can have more paths than any client reads.
 */
const repeatedMax = 100_000;

/** Walk of Kubo's `refs`: depth first. A link is listed only when its block exists. */
export class RefsWalk {
  readonly #store: Pick<Blockstore, 'get' | 'has'>;
  readonly #options: RefsWalkOptions;
  /** Smallest depth of each CID; with `isUnique` of all, else of those that were followed. */
  readonly #depths = new Map<string, number>();
  #repeated = 0;

  constructor(store: Pick<Blockstore, 'get' | 'has'>, options: RefsWalkOptions) {
    this.#store = store;
    this.#options = options;
  }

  /**
   * Yields the links below a root.
   * @throws BLOCK_NOT_FOUND, BLOCK_CORRUPT, DAG_INVALID, CODEC_UNSUPPORTED; ApiError 400 at the bound
   */
  async *below(root: CID): AsyncGenerator<Edge> {
    const { signal } = this.#options;
    const slices = Slices.of(signal);
    const open = await this.#enter(root, 1);
    let openBytes = 0;
    for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
      signal.throwIfAborted();
      await slices.step();
      const { src, depth } = frame;
      const step = { src, depth, ...frame.linkAt(frame.next++) };
      // Removed before the links below the last one are walked: a long chain is then one frame.
      if (frame.next === frame.length) openBytes -= open.pop()?.bytes ?? 0;
      const { isGiven, isFollowed } = this.#visit(step);
      if (!isGiven && !isFollowed) continue;
      const [next] = isFollowed ? await this.#enter(step.dst, depth + 1) : await this.#check(step.dst);
      if (next !== undefined) this.#bound(step, next.length);
      if (isGiven) yield step;
      if (next === undefined) continue;
      open.push(next);
      openBytes += next.bytes;
      if (openBytes > openBytesMax)
        throw new ApiError(
          400,
          `the blocks above ${next.src} have more than ${openBytesMax} bytes; ask with max-depth`,
        );
    }
  }

  #visit({ dst, depth }: Step): { readonly isGiven: boolean; readonly isFollowed: boolean } {
    const { depthMax, isUnique } = this.#options;
    if (depthMax >= 0 && depth > depthMax) return { isGiven: false, isFollowed: false };
    const isFollowed = depth !== depthMax;
    if (!isUnique) return { isGiven: true, isFollowed };
    const key = cidKey(dst.bytes);
    const before = this.#depths.get(key);
    if (before !== undefined && (depthMax < 0 || before <= depth)) return { isGiven: false, isFollowed: false };
    this.#depths.set(key, depth);
    return { isGiven: before === undefined, isFollowed };
  }

  /** @throws ApiError 400 where the walk would take more memory or time than one request may */
  #bound({ dst, depth }: Step, links: number): void {
    if (!this.#options.isUnique) {
      const key = cidKey(dst.bytes);
      if (this.#depths.has(key)) this.#repeated += links;
      else this.#depths.set(key, depth);
    }
    if (this.#depths.size > seenMax) throw new ApiError(400, `there are more than ${seenMax} blocks`);
    if (this.#repeated > repeatedMax)
      throw new ApiError(400, `more than ${repeatedMax} links repeat earlier ones; ask with unique=true`);
  }

  /** Checks that a block exists. */
  async #check(cid: CID): Promise<Frame[]> {
    workOf(this.#options.signal)?.visits(1);
    if (!(await this.#store.has(cid))) await this.#store.get(cid, { signal: this.#options.signal });
    return [];
  }

  /** Returns the block with its links; undefined for one without links. */
  async #enter(src: CID, depth: number): Promise<Frame[]> {
    if (src.code === codecs.raw) return await this.#check(src);
    const { signal } = this.#options;
    const bytes = await this.#store.get(src, { signal });
    const links =
      src.code === codecs['dag-pb'] ? await pbLinks(src, bytes, signal) : await plainLinks(src, bytes, signal);
    return links.length === 0 ? [] : [{ src, depth, ...links, bytes: bytes.length, next: 0 }];
  }
}

/** @throws DAG_INVALID */
async function pbLinks(cid: CID, bytes: Uint8Array, signal: AbortSignal): Promise<Pick<Frame, 'length' | 'linkAt'>> {
  try {
    const { links } = await readPbNode(bytes, { signal });
    return {
      length: links.length,
      linkAt: (index) => {
        const link = links[index];
        if (link === undefined) throw new RangeError(`the block has no link ${index}`);
        return { dst: link.cid, name: link.name };
      },
    };
  } catch (error) {
    throw new UndecodableBlockError(cid.toString(), error);
  }
}

/** Returns the links of a block that have no names. @throws DAG_INVALID, CODEC_UNSUPPORTED */
async function plainLinks(cid: CID, bytes: Uint8Array, signal: AbortSignal): Promise<Pick<Frame, 'length' | 'linkAt'>> {
  const links = await linksOf(cid, bytes, Slices.of(signal));
  return {
    length: links.length,
    linkAt: (index) => {
      const [dst] = links.slice(index, index + 1);
      if (dst === undefined) throw new RangeError(`the block has no link ${index}`);
      return { dst, name: '' };
    },
  };
}
