import type { Blockstore, BlockstoreStats, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { AccountWriteSession, type WriteSessionContext } from './account-write-session.ts';
import { type DiscardOutcome, discardBlocks } from './discard.ts';
import { PinModeError, PinNotFoundError } from './errors.ts';
import { ownerOf } from './owner.ts';
import type { Pin, PinStore, Usage } from './pin-store.ts';
import type { RootSource } from './root-source.ts';
import { visitPresent } from './visit-present.ts';
import { blockKey, visitDag, walkDag } from './walk-dag.ts';
import type { PinOptions, WriteOptions, WriteSession } from './write-session.ts';

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
  readonly #context: WriteSessionContext;
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
    return new AccountWriteSession(
      this.#context,
      account,
      options,
      await this.#context.collectable.hold({ owner: ownerOf(account) }),
    );
  }

  /**
   * Pins a DAG after making sure that all of it is there; what some account has pinned already is not walked again.
   * Pinning what is pinned in the same mode keeps the pin and gives it the name of this call, or none, as Kubo does; `recursive` replaces `direct`.
   * @throws BLOCK_NOT_FOUND, PIN_MODE_CONFLICT (direct over recursive), CODEC_UNSUPPORTED, DAG_INVALID, DAG_TOO_LARGE,
   * QUOTA_EXCEEDED
   */
  async pin(account: string, cid: CID, options: PinOptions & WriteOptions = {}): Promise<Pin> {
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
  async findAncestorPin(
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

  /**
   * Removes blocks that the account has written: one that no other account can hold is gone when this resolves; any other stays,
   * and the reason is returned in the words of Kubo where it has them. Claims of the account on them end.
   */
  discard(
    account: string,
    cids: readonly CID[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<DiscardOutcome[]> {
    const { pins, collectable } = this.#context;
    const stores = { pins, collectable, blocks: this.#blocks, sources: this.#sources };
    return discardBlocks(stores, account, cids, signal);
  }

  /**
   * Blocks that the account has written or held and that no pin or other root of it need reach, as CIDs of raw blocks: what
   * it claims, and what is here below roots that it has released. A block may come more than once.
   */
  async *garbageCandidates(account: string): AsyncGenerator<CID> {
    for await (const { cid } of this.#context.collectable.claims(ownerOf(account))) yield cid;
    const seen = new Set<string>();
    for await (const { cid } of this.#pins.released(account)) yield* visitPresent(this.#blocks, cid, seen);
    for (const source of this.#sources)
      for await (const root of source.formerRootsOf?.(account) ?? []) yield* visitPresent(this.#blocks, root, seen);
  }

  /** Blocks that the account has written and neither pinned nor discarded. Their size counts towards the quota beside {@link usage}. */
  claimed(account: string): Promise<BlockstoreStats> {
    return this.#context.collectable.claimed(ownerOf(account));
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

  /** Counts anew what {@link claimed} must equal at any time; each claim is compared with its block. @throws BLOCK_NOT_FOUND */
  async recountClaimed(account: string): Promise<BlockstoreStats> {
    let blocks = 0;
    let bytes = 0;
    for await (const { cid, isCounted } of this.#context.collectable.claims(ownerOf(account))) {
      if (!isCounted) continue;
      blocks++;
      bytes += await this.#blocks.size(cid);
    }
    return { blocks, bytes };
  }
}
