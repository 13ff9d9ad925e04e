import {
  headerBytes,
  type Meta,
  PageDamage,
  type PageFile,
  pageFlags,
  readTree,
  type TreeRecord,
} from './page-file.ts';
import { branchNodes, type LeafNode, leafNodes, nodeFlags } from './page-nodes.ts';

export interface WalkOptions {
  /** Includes the leaf pages of named databases. Default true. */
  readonly withLeaves?: boolean;
  /** Called with each leaf node of a named database, in the order of keys. */
  readonly onNode?: (database: string, node: LeafNode) => void;
}

/** Order of keys. The keys of the tree of free pages are transaction numbers, all others are bytes. */
type Compare = (a: Buffer, b: Buffer) => number;
const byNumber: Compare = (a, b) => Number(a.readBigUInt64LE() - b.readBigUInt64LE());
const depthMax = 32;

/**
 * Walks every page of a snapshot as LMDB's reader would, and verifies what that reader assumes: numbers, kinds, ages and bounds
 * of pages, the order of keys within their separators, the counts of each tree, and that each page is used once or free once.
 * A pointer to an older version of a page thus leads to a free page.
 */
export class PageWalk {
  readonly #file: PageFile;
  readonly #meta: Meta;
  readonly #options: WalkOptions;
  readonly #seen: Uint8Array;
  #accounted = 2;
  readonly databases = new Map<string, TreeRecord>();

  constructor(file: PageFile, meta: Meta, options: WalkOptions = {}) {
    this.#file = file;
    this.#meta = meta;
    this.#options = options;
    this.#seen = new Uint8Array(Math.ceil((meta.lastPage + 1) / 8));
    this.#seen[0] = 0b11;
  }

  /** Walks in steps, so that a caller can yield to the event loop after each. @throws {PageDamage} */
  *steps(): Generator<void> {
    const { free, main } = this.#meta;
    yield* this.#tree('the list of free pages', free, {
      compare: byNumber,
      onNode: (node) => this.#takeFree(node),
    });
    yield* this.#tree('the list of databases', main, {
      compare: Buffer.compare,
      onNode: ({ key, data, flags }) => {
        if (flags === nodeFlags.tree) this.databases.set(key.toString().replace(/\0$/, ''), readTree(data, 0));
      },
    });
    for (const [name, tree] of this.databases) {
      const onNode = (node: LeafNode) => this.#options.onNode?.(name, node);
      yield* this.#tree(`database "${name}"`, tree, { compare: Buffer.compare, onNode, isNamed: true });
    }
    if (this.#accounted !== this.#meta.lastPage + 1)
      throw new PageDamage(`${this.#accounted} of ${this.#meta.lastPage + 1} pages are in use or free`);
  }

  *#tree(name: string, tree: TreeRecord, visit: TreeVisit): Generator<void> {
    const counts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    const walked = { ...visit, tree, counts, last: undefined };
    try {
      if (tree.root !== undefined) {
        if (tree.depth === 0 || tree.depth > depthMax) throw new PageDamage(`its depth is ${tree.depth}`);
        yield* this.#page(tree.root, 1, this.#meta.transaction, walked);
      }
      this.#compareCounts(tree, counts, visit.isNamed === true);
    } catch (error) {
      throw error instanceof PageDamage || error instanceof RangeError
        ? new PageDamage(`${name}: ${error.message}`)
        : error;
    }
  }

  #compareCounts(tree: TreeRecord, counts: Counts, isNamed: boolean): void {
    const isSkipped = isNamed && this.#options.withLeaves === false;
    // Without leaves their counts are trusted. The sum of all pages must still equal the pages of the file.
    if (isSkipped) this.#accounted += tree.overflowPages;
    const names = isSkipped
      ? (['branchPages', 'leafPages'] as const)
      : (['branchPages', 'leafPages', 'overflowPages', 'entries'] as const);
    for (const name of names)
      if (tree[name] !== counts[name])
        throw new PageDamage(`${name} counts ${counts[name]}, its record says ${tree[name]}`);
  }

  *#page(number: number, depth: number, transactionMax: bigint, walked: Walked, bounds: Bounds = {}): Generator<void> {
    this.#take(number, 1);
    if (depth === walked.tree.depth) {
      walked.counts.leafPages++;
      if (walked.isNamed === true && this.#options.withLeaves === false) return;
      this.#leaf(number, transactionMax, walked, bounds);
      yield;
      return;
    }
    walked.counts.branchPages++;
    const { transaction, nodes } = branchNodes(this.#file.page(number), { number, kind: 'branch', transactionMax });
    for (const [index, { key, child }] of nodes.entries()) {
      const low = index === 0 ? bounds.low : key;
      const high = nodes[index + 1]?.key ?? bounds.high;
      if (low && high && walked.compare(low, high) >= 0) throw new PageDamage(`page ${number} has keys out of order`);
      yield* this.#page(child, depth + 1, transaction, walked, { ...(low && { low }), ...(high && { high }) });
    }
  }

  #leaf(number: number, transactionMax: bigint, walked: Walked, { low, high }: Bounds): void {
    const { nodes } = leafNodes(this.#file.page(number), { number, kind: 'leaf', transactionMax });
    const { compare, counts } = walked;
    for (const node of nodes) {
      const { key } = node;
      const isOrdered = walked.last === undefined || compare(walked.last, key) < 0;
      if (!isOrdered || (low && compare(key, low) < 0) || (high && compare(key, high) >= 0))
        throw new PageDamage(`page ${number} has keys out of order`);
      walked.last = key;
      counts.entries++;
      if (node.flags === nodeFlags.overflow) counts.overflowPages += this.#takeOverflow(node);
      walked.onNode(node);
    }
  }

  #takeOverflow({ data, length }: LeafNode): number {
    const [first, pages] = [Number(data.readBigUInt64LE(0)), Number(data.readBigUInt64LE(16))];
    // A value has more pages than it needs when a transaction replaced its own longer value.
    if (pages < Math.ceil((headerBytes + length) / this.#meta.pageBytes))
      throw new PageDamage(`a value of ${length} bytes has ${pages} pages`);
    this.#take(first, pages);
    const header = this.#file.header(first);
    const isIntact = Number(header.readBigUInt64LE(0)) === first && header.readUInt16LE(18) === pageFlags.overflow;
    if (!isIntact || header.readUInt32LE(20) !== pages)
      throw new PageDamage(`page ${first} is not the start of a long value`);
    return pages;
  }

  #takeFree(node: LeafNode): void {
    const list = this.valueBytes(node);
    const count = Number(list.readBigInt64LE(0));
    if (count < 0 || 8 * (count + 1) > list.length) throw new PageDamage(`a list has ${count} entries`);
    for (let index = 1; index <= count; index++) {
      const word = Number(list.readBigInt64LE(8 * index));
      // A positive word is a page. A negative word is a count, followed by its first page. 0 is unused.
      if (word > 0) this.#take(word, 1);
      else if (word < 0 && index < count) this.#take(Number(list.readBigInt64LE(8 * ++index)), -word);
    }
  }

  /** Returns the value of a node, from its overflow pages if the node has them. */
  valueBytes({ data, flags, length }: LeafNode): Buffer {
    return flags === nodeFlags.overflow ? this.#file.overflow(Number(data.readBigUInt64LE(0)), length) : data;
  }

  #take(first: number, pages: number): void {
    if (first < 2 || first + pages > this.#meta.lastPage + 1) throw new PageDamage(`there is no page ${first}`);
    for (let page = first; page < first + pages; page++) {
      const [at, bit] = [page >> 3, 1 << (page & 7)];
      if (((this.#seen[at] ?? 0) & bit) !== 0) throw new PageDamage(`page ${page} is used twice, or used and free`);
      this.#seen[at] = (this.#seen[at] ?? 0) | bit;
    }
    this.#accounted += pages;
  }
}

interface Counts {
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
}

interface TreeVisit {
  readonly compare: Compare;
  readonly onNode: (node: LeafNode) => void;
  readonly isNamed?: boolean;
}

interface Walked extends TreeVisit {
  readonly tree: TreeRecord;
  readonly counts: Counts;
  last: Buffer | undefined;
}

interface Bounds {
  readonly low?: Buffer;
  readonly high?: Buffer;
}
