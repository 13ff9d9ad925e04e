import { BlockNotFoundError, type Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { PinModeError, PinNotFoundError } from './errors.ts';
import type { Pin, PinMode, PinStore, Usage } from './pin-store.ts';
import { type DagSize, walkDag } from './walk-dag.ts';
import type { WriteOptions, WriteSession } from './write-session.ts';

export interface PinOptions {
  /** Default `recursive`. */
  readonly mode?: PinMode;
  readonly name?: string | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (blocks: number) => void;
}

export interface PinningOptions {
  readonly pins: PinStore;
  /** A verified store: a walk then also checks every inner block. */
  readonly blocks: Pick<Blockstore, 'get' | 'has' | 'size' | 'putMany' | 'sync'>;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/** What each account keeps in a store that all accounts share. No call sees or changes the pins of another account. */
export class Pinning {
  readonly #pins: PinStore;
  readonly #blocks: PinningOptions['blocks'];
  readonly #now: () => number;

  constructor({ pins, blocks, now = Date.now }: PinningOptions) {
    this.#pins = pins;
    this.#blocks = blocks;
    this.#now = now;
  }

  /**
   * Pins a DAG after making sure that all of it is there; one walked before is not walked again. Pinning what is pinned
   * in the same mode keeps the pin and takes over the new name; `recursive` replaces `direct`.
   * @throws BLOCK_NOT_FOUND, PIN_MODE_CONFLICT (direct over recursive), CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE
   */
  async pin(account: string, cid: CID, options: PinOptions = {}): Promise<Pin> {
    const { mode = 'recursive', name } = options;
    const before = await this.#pins.get(account, cid);
    if (before?.mode === 'recursive' && mode === 'direct') throw new PinModeError(cid.toString(), before.mode);
    const size = mode === 'recursive' ? await this.#dagSize(cid, options) : await this.#blockSize(cid);
    return await this.#put(account, { cid, mode, name: name ?? before?.name, size });
  }

  /** Pins a DAG that has just been written as a whole; its size was counted on the way (see `recordDag`). */
  async pinAdded(account: string, cid: CID, size: DagSize, name?: string): Promise<Pin> {
    return await this.#put(account, { cid, mode: 'recursive', name, size });
  }

  /** Opens a write session: everything that puts blocks on behalf of an account does so in one. */
  async write(account: string, { signal }: WriteOptions = {}): Promise<WriteSession> {
    return {
      store: this.#blocks,
      pin: async (cid, options = {}) => {
        await this.#blocks.sync();
        return await this.pin(account, cid, { ...options, ...(signal && { signal }) });
      },
      touch: async (root) => void (await walkDag(this.#blocks, root, signal ? { signal } : {})),
      end: async () => {},
    };
  }

  async #put(account: string, pin: Omit<Pin, 'createdAt'>): Promise<Pin> {
    const made = { ...pin, createdAt: this.#now() };
    await this.#pins.put(account, [made]);
    return made;
  }

  async #dagSize(cid: CID, options: PinOptions): Promise<DagSize> {
    const known = await this.#pins.complete(cid);
    return known ?? (await walkDag(this.#blocks, cid, options));
  }

  async #blockSize(cid: CID): Promise<DagSize> {
    if (!(await this.#blocks.has(cid))) throw new BlockNotFoundError(cid.toString());
    return { blocks: 1, bytes: await this.#blocks.size(cid) };
  }

  /**
   * Removes pins, all or none. `recursive: false` takes direct pins only.
   * @throws PIN_NOT_FOUND, PIN_MODE_CONFLICT
   */
  async unpin(account: string, cids: readonly CID[], { recursive = true } = {}): Promise<void> {
    const distinct = [...new Map(cids.map((cid) => [cid.toString(), cid])).values()];
    for (const cid of distinct) {
      const pin = await this.#pins.get(account, cid);
      if (pin === undefined) throw new PinNotFoundError(cid.toString());
      if (pin.mode === 'recursive' && !recursive) throw new PinModeError(cid.toString(), pin.mode);
    }
    await this.#pins.remove(account, distinct);
  }

  get(account: string, cid: CID): Promise<Pin | undefined> {
    return this.#pins.get(account, cid);
  }

  list(account: string): AsyncIterable<Pin> {
    return this.#pins.list(account);
  }

  usage(account: string): Promise<Usage> {
    return this.#pins.usage(account);
  }

  /** Counts the usage anew from the pins: what {@link usage} must equal at any time. */
  async recount(account: string): Promise<Usage> {
    let pins = 0;
    let bytes = 0;
    for await (const pin of this.#pins.list(account)) {
      pins++;
      bytes += pin.size.bytes;
    }
    return { pins, bytes };
  }
}
