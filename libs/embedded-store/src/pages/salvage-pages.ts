import { type Meta, PageDamage, type PageFile, pageFlags, readTree, type TreeRecord } from './page-file.ts';
import { branchNodes, type LeafNode, leafNodes, nodeFlags } from './page-nodes.ts';

/** A record found in a file. `database` is undefined for a record on an orphaned page. */
export interface FoundRecord {
  readonly database: string | undefined;
  readonly key: Buffer;
  readonly value: Buffer;
}

const depthMax = 32;

/**
 * Reads every intact leaf page of a damaged file: first the pages that a tree reaches, then orphaned pages, which are neither
 * reached nor free. Continues after a damaged page. Never maps the file.
 */
export class PageSalvage {
  readonly #file: PageFile;
  readonly #meta: Meta;
  readonly #seen = new Set<number>();
  readonly #free = new Set<number>();
  #isFreeKnown = true;
  /** Pages and values that could not be read. */
  readonly lost: string[] = [];
  /** Names of the databases found so far. */
  readonly databases = new Set<string>();

  constructor(file: PageFile, meta: Meta) {
    this.#file = file;
    this.#meta = meta;
  }

  *records(): Generator<FoundRecord> {
    const before = this.lost.length;
    for (const node of this.#nodes(this.#meta.free, 'free pages')) this.#takeFree(node);
    this.#isFreeKnown &&= this.lost.length === before;
    const trees: (readonly [string, TreeRecord])[] = [];
    for (const { key, data, flags } of this.#nodes(this.#meta.main, 'databases'))
      if (flags === nodeFlags.tree) trees.push([key.toString().replace(/\0$/, ''), readTree(data, 0)]);
    for (const [database] of trees) this.databases.add(database);
    for (const [database, tree] of trees)
      for (const node of this.#nodes(tree, `database "${database}"`)) yield* this.#record(database, node);
    // Free pages contain older versions of records. Without their list, orphaned pages may be such pages.
    if (this.lost.length > 0 && this.#isFreeKnown) yield* this.#strays();
  }

  *#nodes({ root, depth }: TreeRecord, name: string): Generator<LeafNode> {
    if (root !== undefined) yield* this.#page(root, Math.min(depth, depthMax), name);
  }

  *#page(number: number, height: number, name: string): Generator<LeafNode> {
    if (this.#seen.has(number) || number < 2 || number > this.#meta.lastPage) {
      this.lost.push(`${name}: its tree refers to an invalid page`);
      return;
    }
    try {
      const page = this.#file.page(number);
      const expected = { number, transactionMax: this.#meta.transaction } as const;
      if (height <= 1) {
        const { nodes } = leafNodes(page, { ...expected, kind: 'leaf' });
        this.#seen.add(number);
        yield* nodes;
        return;
      }
      const { nodes } = branchNodes(page, { ...expected, kind: 'branch' });
      this.#seen.add(number);
      for (const { child } of nodes) yield* this.#page(child, height - 1, name);
    } catch (error) {
      if (!(error instanceof PageDamage || error instanceof RangeError)) throw error;
      this.lost.push(`${name}: ${error.message}`);
    }
  }

  *#strays(): Generator<FoundRecord> {
    for (let number = 2; number <= this.#meta.lastPage; number++) {
      if (this.#seen.has(number) || this.#free.has(number)) continue;
      try {
        const page = this.#file.page(number);
        if (page.readUInt16LE(18) !== pageFlags.leaf) continue;
        const { nodes } = leafNodes(page, { number, kind: 'leaf', transactionMax: this.#meta.transaction });
        for (const node of nodes) if (node.flags !== nodeFlags.tree) yield* this.#record(undefined, node);
      } catch (error) {
        if (!(error instanceof PageDamage || error instanceof RangeError)) throw error;
      }
    }
  }

  *#record(database: string | undefined, { key, data, flags, length }: LeafNode): Generator<FoundRecord> {
    try {
      const value = flags === nodeFlags.overflow ? this.#file.overflow(Number(data.readBigUInt64LE(0)), length) : data;
      yield { database, key: Buffer.from(key), value: Buffer.from(value) };
    } catch (error) {
      if (!(error instanceof PageDamage || error instanceof RangeError)) throw error;
      this.lost.push(`database "${database}": ${error.message}`);
    }
  }

  #takeFree({ data, flags, length }: LeafNode): void {
    try {
      const list = flags === nodeFlags.overflow ? this.#file.overflow(Number(data.readBigUInt64LE(0)), length) : data;
      const count = Math.min(Number(list.readBigInt64LE(0)), list.length / 8 - 1);
      for (let index = 1; index <= count; index++) {
        const word = Number(list.readBigInt64LE(8 * index));
        const [first, pages] = word < 0 ? [Number(list.readBigInt64LE(8 * ++index)), -word] : [word, 1];
        for (let page = first; page < Math.min(first + pages, this.#meta.lastPage + 1); page++) this.#free.add(page);
      }
    } catch {
      this.#isFreeKnown = false;
    }
  }
}
