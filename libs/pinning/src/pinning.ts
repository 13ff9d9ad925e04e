import type { Blockstore, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { PinModeError, PinNotFoundError } from './errors.ts';
import { ownerOf } from './owner.ts';
import type { Pin, PinStore, Usage } from './pin-store.ts';
import type { RootSource } from './root-source.ts';
import { Session, type SessionContext } from './session.ts';
import { blockKey, visitDag, walkDag } from './walk-dag.ts';
import type { SessionPinOptions, WriteOptions, WriteSession } from './write-session.ts';

export interface PinningOptions {
  readonly pins: PinStore;
  /** A verified store: a walk then also checks every inner block. */
  readonly blocks: Blockstore;
  /** What keeps blocks from collection; the store beneath `blocks`. */
  readonly collectable: Collectable;
  /** What else accounts hold. */
  readonly sources?: readonly RootSource[];
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/** A block that is pinned through a recursive pin above it. */
export interface IndirectPin {
  readonly cid: CID;
  /** The pin that holds it. */
  readonly through: CID;
}

/** What {@link Pinning.verify} found of one recursive pin. */
export interface PinStatus {
  readonly pin: Pin;
  /** Why the DAG is not whole; absent when it is. */
  readonly error?: unknown;
}

/** What each account keeps in a store that all accounts share. No call sees or changes the pins of another account. */
export class Pinning {
  readonly #pins: PinStore;
  readonly #blocks: Blockstore;
  readonly #context: SessionContext;
  readonly #sources: readonly RootSource[];

  constructor({ pins, blocks, collectable, sources = [], now = Date.now }: PinningOptions) {
    this.#pins = pins;
    this.#blocks = blocks;
    this.#sources = sources;
    const otherBytes = async (account: string) => {
      let bytes = 0;
      for (const source of sources) bytes += (await source.bytesOf?.(account)) ?? 0;
      return bytes;
    };
    this.#context = { pins, blocks, collectable, now, otherBytes, inFlight: new Map() };
  }

  /** Opens a write session: everything that puts blocks on behalf of an account does so in one. */
  async write(account: string, options: WriteOptions = {}): Promise<WriteSession> {
    return new Session(this.#context, account, options, await this.#context.collectable.hold());
  }

  /**
   * Pins a DAG after making sure that all of it is there; what some account has pinned already is not walked again.
   * Pinning what is pinned in the same mode keeps the pin and takes over the new name; `recursive` replaces `direct`.
   * @throws BLOCK_NOT_FOUND, PIN_MODE_CONFLICT (direct over recursive), CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE,
   * QUOTA_EXCEEDED
   */
  async pin(account: string, cid: CID, options: SessionPinOptions & WriteOptions = {}): Promise<Pin> {
    const session = await this.write(account, options);
    try {
      return await session.pin(cid, options);
    } finally {
      await session.end();
    }
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

  /** Blocks under the recursive pins of an account that it has not pinned themselves, each once, streamed. */
  async *indirect(account: string, { signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<IndirectPin> {
    const told = new Set<string>();
    for await (const { cid: root, mode } of this.#pins.list(account)) {
      if (mode !== 'recursive') continue;
      for await (const { cid } of visitDag(this.#blocks, root, signal ? { signal } : {})) {
        const key = cid.toString();
        if (cid.equals(root) || told.has(key)) continue;
        told.add(key);
        if ((await this.#pins.get(account, cid)) === undefined) yield { cid, through: root };
      }
    }
  }

  /** The recursive pin of the account whose DAG holds a block. */
  async findThrough(
    account: string,
    cid: CID,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<CID | undefined> {
    for await (const { cid: root, mode } of this.#pins.list(account)) {
      if (mode !== 'recursive') continue;
      for await (const block of visitDag(this.#blocks, root, signal ? { signal } : {}))
        if (!block.cid.equals(root) && blockKey(block.cid) === blockKey(cid)) return root;
    }
    return undefined;
  }

  async #findInSources(account: string, cid: CID, signal: AbortSignal | undefined): Promise<CID | undefined> {
    for (const source of this.#sources) {
      for await (const root of source.rootsOf?.(account) ?? []) {
        for await (const block of visitDag(this.#blocks, root, signal ? { signal } : {}))
          if (blockKey(block.cid) === blockKey(cid)) return root;
      }
    }
    return undefined;
  }

  /**
   * Lets go of a block that the account has written: it goes at once where nobody else can hold it, else with the next
   * collection if nobody does. What others have written too stays theirs, which the account cannot tell.
   * @returns why it cannot be, in the words of Kubo, or that there is no such block
   */
  async discard(
    account: string,
    cid: CID,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<'discarded' | 'absent' | { readonly reason: string }> {
    const names = [cid, ...(cid.version === 0 ? [cid.toV1()] : [])];
    for (const name of names) {
      const pin = await this.#pins.get(account, name);
      if (pin) return { reason: `pinned: ${pin.mode}` };
    }
    const through = await this.findThrough(account, cid, signal ? { signal } : {});
    if (through) return { reason: `pinned via ${through}` };
    const other = await this.#findInSources(account, cid, signal);
    if (other) return { reason: `in the files of the account, via ${other}` };
    const { collectable, pins } = this.#context;
    // Asked after the walk: whoever pins what this account held, without a walk of its own, has said so before.
    const remove = !(await pins.isShared());
    return (await collectable.letGo(cid, { owner: ownerOf(account), remove })) ? 'discarded' : 'absent';
  }

  /** Blocks that the account alone has written, as CIDs of raw blocks. */
  written(account: string): AsyncIterable<CID> {
    return this.#context.collectable.owned(ownerOf(account));
  }

  /** Walks every recursive pin of an account and tells whether all of it is here and right. */
  async *verify(account: string, { signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<PinStatus> {
    for await (const pin of this.#pins.list(account)) {
      if (pin.mode !== 'recursive') continue;
      try {
        await walkDag(this.#blocks, pin.cid, signal ? { signal } : {});
        yield { pin };
      } catch (error) {
        signal?.throwIfAborted();
        yield { pin, error };
      }
    }
  }

  usage(account: string): Promise<Usage> {
    return this.#pins.usage(account);
  }

  /** Counts the usage anew from the pins: what {@link usage} must equal at any time. */
  async recount(account: string): Promise<Usage> {
    let pins = 0;
    let blocks = 0;
    let bytes = 0;
    for await (const { size } of this.#pins.list(account)) {
      pins++;
      blocks += size.blocks;
      bytes += size.bytes;
    }
    return { pins, blocks, bytes };
  }
}
