// Hot path of large uploads, where hashing took half of the time of the main thread. Bench: tools/bench/peers.mjs, row `add 1 GiB`;
// import-file.spec.ts compares the CIDs with those of another implementation.
import type { Block } from '@cairn/blockstore/core';
import { linkTo } from './block-batch-writer.ts';
import { hashLeaf, type LayoutOptions, type Subtree, writeLeaf } from './file-layout.ts';

/** Bytes from which a leaf is hashed in another thread while the next ones are read. */
const aheadBytesMin = 128 * 1024;
/** Leaves of a file that wait for their digests. */
const aheadMax = 3;

/** Writes leaves without metadata in the order of their chunks. Other threads hash several long ones at a time. */
export class LeavesAhead {
  readonly #options: LayoutOptions;
  readonly #onLeaf: (leaf: Subtree) => Promise<void>;
  /** The oldest one is first. */
  readonly #waiting: { readonly hashed: Promise<Block>; readonly fileSize: number }[] = [];

  /** @param onLeaf called after each leaf was written */
  constructor(options: LayoutOptions, onLeaf: (leaf: Subtree) => Promise<void>) {
    this.#options = options;
    this.#onLeaf = onLeaf;
  }

  /** Resolves when the next chunk may be added. @throws what the store throws for this leaf or an earlier one */
  async add(chunk: Uint8Array): Promise<void> {
    const { length: fileSize } = chunk;
    if (fileSize < aheadBytesMin) {
      if (this.#waiting.length > 0) await this.finish();
      return await this.#onLeaf(await writeLeaf(chunk, this.#options, 'file'));
    }
    const hashed = hashLeaf(chunk, this.#options, 'file');
    // It is awaited later. An earlier failure ends the import before.
    hashed.catch(() => {});
    this.#waiting.push({ hashed, fileSize });
    if (this.#waiting.length > aheadMax) await this.#writeOldest();
  }

  /** Writes the leaves that wait. */
  async finish(): Promise<void> {
    while (this.#waiting.length > 0) await this.#writeOldest();
  }

  async #writeOldest(): Promise<void> {
    const oldest = this.#waiting.shift();
    if (oldest === undefined) return;
    const block = await this.#options.writer.putHashed(await oldest.hashed);
    await this.#onLeaf({ link: linkTo(block, []), fileSize: oldest.fileSize });
  }
}
