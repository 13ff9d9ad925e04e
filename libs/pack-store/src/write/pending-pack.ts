import type { Block, BufferPool } from '@cairn/blockstore';
import { isCairnError } from '@cairn/errors';
import type { ObjectStore } from '@cairn/object-store';
import { packLimits } from '../limits.ts';
import { PackBuilder, type SealedPack } from '../pack/pack-builder.ts';
import { packHeader } from '../pack/pack-format.ts';
import type { OnPack, PackEntry } from '../types.ts';

/** A pack that is not written yet: it is filled, uploaded, and passed to `onPack`; after a failure again. */
export class PendingPack {
  readonly #builder: PackBuilder;
  readonly #tags: number[][] = [];
  readonly #leaves = new Set<number>();
  readonly openedAt: number;
  /** Number of flushes that wait for it. */
  flushes = 0;
  /** Result of the current attempt; undefined while the pack is open or waits for its turn, and after a failure. */
  attempt: Promise<void> | undefined;
  #sealed: (SealedPack & { readonly sealedAt: number }) | undefined;
  #isUploaded = false;
  #areTagsPassed = false;
  /** True after a reader got bytes of the pack, which it may use for longer than the pack is pending. */
  isRead = false;

  constructor(now: number, pool: BufferPool) {
    this.openedAt = now;
    this.#builder = new PackBuilder(pool);
  }

  get entries(): readonly PackEntry[] {
    return this.#builder.entries;
  }

  /** Bytes of its sections of blocks. */
  get bytes(): number {
    return this.#builder.length - packHeader.length;
  }

  hasRoomFor(block: Block, packBytes: number): boolean {
    return this.#builder.hasRoomFor(block, packBytes);
  }

  /** Appends a block, and returns its copy and its number. */
  add(block: Block, tag: number, isPbLeaf: boolean): { readonly bytes: Uint8Array; readonly index: number } {
    const bytes = this.#builder.add(block);
    const index = this.#tags.push([tag]) - 1;
    if (isPbLeaf) this.#leaves.add(index);
    return { bytes, index };
  }

  /** Adds an owner of a block. False when `onPack` has the owners already, so that the block must be written again. */
  addTag(index: number, tag: number, isPbLeaf: boolean): boolean {
    if (this.#areTagsPassed) return false;
    if (isPbLeaf) this.#leaves.add(index);
    const tags = this.#tags[index];
    if (tags !== undefined && !tags.includes(tag)) tags.push(tag);
    return true;
  }

  /** Gives the buffers of a written pack back for the next one, unless a reader has bytes of them. */
  giveBack(): void {
    if (!this.isRead) this.#builder.giveBack();
  }

  /** Uploads the pack if necessary, and calls `onPack`. */
  async write(options: {
    readonly objects: ObjectStore;
    readonly onPack: OnPack;
    readonly now: () => number;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { objects, onPack, now, signal } = options;
    const sealed = this.#seal(now());
    if (!this.#isUploaded) {
      const { key, parts, sha256 } = sealed;
      await objects.put(key, parts, { ifAbsent: true, sha256, signal }).catch((error: unknown) => {
        // An earlier attempt has written it. No other writer has its random number.
        if (!isCairnError(error, 'OBJECT_EXISTS')) throw error;
      });
      this.#isUploaded = true;
    }
    this.#areTagsPassed = true;
    try {
      await onPack({ key: sealed.key, bytes: sealed.bytes, entries: this.#builder.entries }, this.#tags, this.#leaves);
    } catch (error) {
      this.#areTagsPassed = false;
      throw error;
    }
  }

  /** Collection may have found the object of an old attempt, so a late attempt uses a new one. */
  #seal(now: number): SealedPack {
    if (this.#sealed === undefined || now - this.#sealed.sealedAt > packLimits.resealMs) {
      this.#sealed = { ...this.#builder.seal(), sealedAt: now };
      this.#isUploaded = false;
    }
    return this.#sealed;
  }
}
