import { type Blockstore, Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { CidList } from './cid-list.ts';
import { DagTooLargeError } from './errors.ts';
import { linksOf } from './links.ts';
import { blockKey, type DagSize, dagBlocksMax, isStored, nodeKey } from './walk-dag.ts';

export interface FetchDagOptions {
  readonly signal: AbortSignal;
  /** Returns the verified bytes of a missing block. It is stored afterwards if the source has not stored it. */
  readonly fetch: (cid: CID, options: { readonly signal: AbortSignal }) => Promise<Uint8Array>;
  /** Stores a missing block and returns its length. Called for blocks without links. Default: `fetch`. */
  readonly fetchSize?: ((cid: CID, options: { readonly signal: AbortSignal }) => Promise<number>) | undefined;
  /**
   * Called with the size of the DAG so far. An error ends the fetch, for example one of a quota. A block that occurs with
   * several codecs counts for each.
   */
  readonly onSize?: ((size: DagSize) => Promise<void> | void) | undefined;
  /** Maximum number of blocks that are fetched concurrently. Default: 256. Large blocks are fetched with less concurrency. */
  readonly concurrency?: number;
  /** Default {@link dagBlocksMax}. */
  readonly blocksMax?: number;
}

/** Fetches of small blocks: enough to fill a connection with a round trip of 100 ms at 40 MiB/s in blocks of 16 KiB. */
const concurrencyDefault = 256;
/** Bytes in flight, estimated from the latest blocks: enough to use a connection with a round trip of 100 ms. */
const bytesInFlight = 16 * 1024 * 1024;
/** Fetches before the size of a leaf is known, and fetches of blocks of any size. */
const concurrencyFirst = 64;
const concurrencyMin = 16;

/**
 * Makes a DAG complete: walks it in any order and fetches its missing blocks, many concurrently. Blocks that are present are
 * not fetched, so a repeated call resumes an interrupted one. Its memory holds the CIDs of the DAG and the fetches in flight.
 * @throws BLOCK_NOT_FOUND, CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE, errors of `fetch` and `onSize`
 */
export async function fetchDag(
  store: Pick<Blockstore, 'get' | 'has' | 'size' | 'putMany'>,
  root: CID,
  options: FetchDagOptions,
): Promise<DagSize> {
  const fetcher = new DagFetcher(store, root, options);
  return await fetcher.run(options.concurrency ?? concurrencyDefault);
}

/** Links between two tests of the slice. A test after a wait yields, and the waits of other workers count. */
const linksPerStep = 512;

class DagFetcher {
  readonly #store: Pick<Blockstore, 'get' | 'has' | 'size' | 'putMany'>;
  readonly #root: CID;
  readonly #options: FetchDagOptions;
  readonly #open = new CidList();
  /** Keys of raw blocks, and of the other blocks with their codec. */
  readonly #seen = new Set<string>();
  readonly #ended = new AbortController();
  readonly #slices: Slices;
  #fetches = 0;
  #fetched = 0;
  /** Size of a fetched block, about that of the largest of the latest ones. */
  #latestBytes = 0;
  /** Workers that wait until fewer fetches run. */
  #waiting: (() => void)[] = [];
  /** Workers without an open block. */
  #idle: (() => void)[] = [];
  #size: DagSize = { blocks: 0, bytes: 0 };

  constructor(store: Pick<Blockstore, 'get' | 'has' | 'size' | 'putMany'>, root: CID, options: FetchDagOptions) {
    this.#store = store;
    this.#root = root;
    this.#options = options;
    this.#slices = Slices.of(options.signal);
  }

  async run(workers: number): Promise<DagSize> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    this.#push(this.#root);
    let failure: { readonly error: unknown } | undefined;
    const end = (error: unknown) => {
      failure ??= { error };
      this.#ended.abort(error);
      this.#wakeAll();
    };
    const onAbort = () => end(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.all(Array.from({ length: workers }, () => this.#work(workers).catch(end)));
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    if (failure !== undefined) throw failure.error;
    await this.#options.onSize?.(this.#size);
    return this.#size;
  }

  /** Visits open blocks until all workers are idle. */
  async #work(workers: number): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const cid = this.#open.pop();
      if (cid !== undefined) await this.#visit(cid);
      else if (this.#idle.length === workers - 1) return this.#finish();
      else await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
  }

  #finish(): void {
    this.#ended.abort();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#idle.splice(0), ...this.#waiting.splice(0)]) wake();
  }

  async #visit(cid: CID): Promise<void> {
    const isPresent = !isStored(cid) || (await this.#store.has(cid));
    // A fetch yields by itself.
    if (isPresent) await this.#slices.step();
    if (cid.code === codecs.raw && isPresent) return await this.#count(await this.#store.size(cid));
    const { signal } = this.#ended;
    if (cid.code === codecs.raw) return await this.#count(await this.#fetchSize(cid, signal));
    const bytes = isPresent
      ? await this.#store.get(cid, { signal: this.#options.signal })
      : await this.#fetch(cid, signal);
    await this.#pushLinks(await linksOf(cid, bytes, this.#slices));
    await this.#count(bytes.length);
  }

  /** Stores a block without links and returns its length. */
  async #fetchSize(cid: CID, signal: AbortSignal): Promise<number> {
    const { fetchSize } = this.#options;
    const bytes = fetchSize && (await this.#limited(signal, () => fetchSize(cid, { signal }), Number));
    // A source that could not store the block has kept no bytes of it.
    if (bytes !== undefined && (await this.#store.has(cid))) return bytes;
    return (await this.#fetch(cid, signal)).length;
  }

  async #fetch(cid: CID, signal: AbortSignal): Promise<Uint8Array> {
    return await this.#limited(
      signal,
      async () => {
        const bytes = await this.#options.fetch(cid, { signal });
        if (!(await this.#store.has(cid))) await this.#store.putMany([{ cid, bytes }]);
        return bytes;
      },
      ({ length }) => length,
    );
  }

  /** Runs a fetch within the limits of concurrency. */
  async #limited<T>(signal: AbortSignal, fetch: () => Promise<T>, lengthOf: (fetched: T) => number): Promise<T> {
    while (this.#fetches >= this.#fetchesMax && !signal.aborted)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    signal.throwIfAborted();
    this.#fetches++;
    try {
      const fetched = await fetch();
      this.#measure(lengthOf(fetched));
      return fetched;
    } finally {
      this.#fetches--;
      for (const wake of this.#waiting.splice(0, Math.max(1, this.#fetchesMax - this.#fetches))) wake();
    }
  }

  /** Concurrent fetches whose blocks have about {@link bytesInFlight} bytes, if they are as large as the latest ones. */
  get #fetchesMax(): number {
    if (this.#fetched < concurrencyMin) return concurrencyFirst;
    return Math.max(concurrencyMin, Math.floor(bytesInFlight / Math.max(1, this.#latestBytes)));
  }

  /** A large block narrows the window immediately, and small ones widen it slowly. */
  #measure(bytes: number): void {
    this.#fetched++;
    this.#latestBytes = Math.max(bytes, this.#latestBytes + (bytes - this.#latestBytes) / 16);
  }

  async #count(bytes: number): Promise<void> {
    this.#size = { blocks: this.#size.blocks + 1, bytes: this.#size.bytes + bytes };
    await this.#options.onSize?.(this.#size);
  }

  async #pushLinks(links: CidList): Promise<void> {
    for (let index = links.length - 1; index >= 0; index--) {
      const [cid] = links.slice(index, index + 1);
      if (cid !== undefined) this.#push(cid);
      if (index % linksPerStep === 0) await this.#slices.step();
    }
  }

  /** Opens a block unless it was seen with this codec. Other codecs have other links. */
  #push(cid: CID): void {
    const { blocksMax = dagBlocksMax } = this.#options;
    const key = cid.code === codecs.raw ? blockKey(cid) : nodeKey(cid);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (this.#seen.size > blocksMax) throw new DagTooLargeError(this.#root.toString(), blocksMax);
    this.#open.push(cid.bytes);
    this.#idle.pop()?.();
  }
}
