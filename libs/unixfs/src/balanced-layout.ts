import { InvalidOptionError } from './errors.ts';
import {
  type FileLayout,
  type LayoutOptions,
  nodeLinksMax,
  type Subtree,
  writeInner,
  writeLeaf,
} from './file-layout.ts';
import { LeavesAhead } from './leaves-ahead.ts';

/**
 * Kubo's balanced layout: all leaves have the same depth, and every node except the last of its level is full. Memory: one
 * row of links per level.
 */
export const balancedLayout: FileLayout = async (chunks, options) => {
  let rows: Rows | undefined;
  // Delays the first leaf until the second one: a single leaf is the root, and the root carries the metadata.
  let first: Uint8Array | undefined;
  for await (const chunk of chunks) {
    if (rows === undefined && first === undefined) {
      first = chunk;
      continue;
    }
    rows ??= new Rows(options);
    if (first !== undefined) {
      await rows.addLeaf(first);
      first = undefined;
    }
    await rows.addLeaf(chunk);
  }
  if (rows !== undefined) return rows.finish();
  return writeLeaf(first ?? new Uint8Array(0), options, 'file', options.metadata);
};

/** Open row of each level. A full row is closed only when another subtree follows, since it may be the root. */
class Rows {
  readonly #options: LayoutOptions;
  readonly #leaves: LeavesAhead;
  readonly #levels: Subtree[][] = [];

  constructor(options: LayoutOptions) {
    this.#options = options;
    this.#leaves = new LeavesAhead(options, (leaf) => this.#add(0, leaf));
    if (options.linksMax === 1) {
      throw new InvalidOptionError('max-file-links', 'a balanced tree over several chunks needs 2 or more, not 1');
    }
  }

  addLeaf(chunk: Uint8Array): Promise<void> {
    return this.#leaves.add(chunk);
  }

  async #add(level: number, subtree: Subtree): Promise<void> {
    const row = this.#levels[level];
    if (row?.length === nodeLinksMax) {
      throw new InvalidOptionError(
        'max-file-links',
        `a node of more than ${nodeLinksMax} links fits no block; set less`,
      );
    }
    if (row === undefined) this.#levels[level] = [subtree];
    else if (row.length < this.#options.linksMax) row.push(subtree);
    else {
      this.#levels[level] = [subtree];
      await this.#add(level + 1, await writeInner(row, this.#options.writer));
    }
  }

  /** Closes all rows, from the lowest level up. */
  async finish(): Promise<Subtree> {
    await this.#leaves.finish();
    const { writer, metadata } = this.#options;
    for (let level = 0; ; level++) {
      const row = this.#levels[level] ?? [];
      if (level === this.#levels.length - 1) return writeInner(row, writer, metadata);
      await this.#add(level + 1, await writeInner(row, writer));
    }
  }
}
