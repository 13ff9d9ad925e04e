import type { Blockstore, BlockstoreStats, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { AccountWriteSession } from './account-write-session.ts';
import { type DiscardOutcome, discardBlocks } from './discard.ts';
import { PinModeError, PinNotFoundError } from './errors.ts';
import { ownerOf } from './owner.ts';
import type { Pin, PinStore, Usage } from './pin-store.ts';
import type { RootSource } from './root-source.ts';
import { visitPresent } from './visit-present.ts';
import { blockKey, visitDag, walkDag } from './walk-dag.ts';
import type { PinOptions, WriteOptions, WriteSession } from './write-session.ts';
import type { WriteSessionContext } from './write-session-context.ts';
import { NameCount } from './written-blocks.ts';

export interface PinningOptions {
  readonly pins: PinStore;
  /** A verified store, so that a walk verifies every inner block. */
  readonly blocks: Blockstore;
  /** The unwrapped store of `blocks`, which protects blocks from collection. */
  readonly collectable: Collectable;
  /** Roots of accounts that are not pins, such as file trees. */
  readonly sources?: readonly RootSource[];
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/** A block below a recursive pin. */
export interface IndirectPin {
  readonly cid: CID;
  /** Root of the recursive pin. */
  readonly through: CID;
}

/** Result of {@link Pinning.verify} for one recursive pin. */
export interface PinStatus {
  readonly pin: Pin;
  /** Reason why the DAG is incomplete or corrupt; absent for an intact one. */
  readonly error?: unknown;
}

/** The pins of accounts over a store that all accounts share. No call reads or changes the pins of another account. */
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
    this.#context = { pins, blocks, collectable, now, otherBytes, inFlight: new Map(), names: new NameCount() };
  }

  /** Opens a write session. All blocks of an account are written in a session. */
  async write(account: string, options: WriteOptions = {}): Promise<WriteSession> {
    return new AccountWriteSession(
      this.#context,
      account,
      options,
      await this.#context.collectable.hold({ owner: ownerOf(account) }),
    );
  }

  /**
   * Pins a DAG after verifying that it is complete. A DAG that any account has pinned already is not walked again. Pinning a CID
   * again in the same mode sets the name of this call, or none, as Kubo does. A recursive pin replaces a direct one.
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
   * Removes all of these pins, or none. `recursive: false` accepts direct pins only.
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

  /** Streams the blocks below the recursive pins of an account, each once, except blocks with a pin of their own. */
  async *indirect(account: string, { signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<IndirectPin> {
    const seen = new Set<string>();
    for await (const { cid: root, mode } of this.#pins.list(account)) {
      if (mode !== 'recursive') continue;
      for await (const { cid } of visitDag(this.#blocks, root, signal ? { signal } : {})) {
        const key = cid.toString();
        if (cid.equals(root) || seen.has(key)) continue;
        seen.add(key);
        if ((await this.#pins.get(account, cid)) === undefined) yield { cid, through: root };
      }
    }
  }

  /** Returns the root of a recursive pin of the account whose DAG contains a block. */
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
   * Removes blocks that the account has written and ends its claims on them. A block that another account or a root may retain
   * stays, and its result has the reason, in Kubo's wording where Kubo has one.
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
   * Streams stored blocks of the account that its roots need not reach: claimed blocks, and blocks below released roots. Claims
   * are CIDs of the raw codec. A block may occur more than once.
   */
  async *garbageCandidates(account: string): AsyncGenerator<CID> {
    for await (const { cid } of this.#context.collectable.claims(ownerOf(account))) yield cid;
    const seen = new Set<string>();
    for await (const { cid } of this.#pins.released(account)) yield* visitPresent(this.#blocks, cid, seen);
    for (const source of this.#sources)
      for await (const root of source.formerRootsOf?.(account) ?? []) yield* visitPresent(this.#blocks, root, seen);
  }

  /**
   * Returns number and bytes of claimed blocks: written and neither pinned nor discarded. They count towards the quota in
   * addition to {@link usage}.
   */
  claimed(account: string): Promise<BlockstoreStats> {
    return this.#context.collectable.claimed(ownerOf(account));
  }

  /** Walks every recursive pin of an account and reports whether its DAG is complete and intact. */
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

  /** Recomputes the usage from the pins. {@link usage} must equal it at any time. */
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

  /** Recomputes the claims from their blocks. {@link claimed} must equal the result at any time. @throws BLOCK_NOT_FOUND */
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
