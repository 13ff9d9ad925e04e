// Reads LMDB's tree of free pages from the file, not from the map. Format: mdb.c of lmdb-js, data version 2.
import { readSync } from 'node:fs';

interface FreeTree {
  readonly pageBytes: number;
  /** Root of the tree; `undefined` without free pages. */
  readonly root: number | undefined;
  readonly first: number;
  readonly lastPage: number;
}

const headerBytes = 24;
const flagsAt = 18;
const lowerAt = 20;
const branchFlag = 0x01;
const leafFlag = 0x02;
const nodeBytes = 8;
const bigDataFlag = 0x01;
const depthMax = 32;

/**
 * Reports whether all pages from `first` to `lastPage` are listed as free. Returns false if a page of the tree cannot be read or
 * is of another kind. Reads the pages of the tree, a small part of the file.
 */
export function freePagesFrom(descriptor: number, { pageBytes, root, first, lastPage }: FreeTree): boolean {
  const missing = lastPage - first + 1;
  const free = new Set<number>();
  const note = (from: number, count: number) => {
    const end = Math.min(from + count, lastPage + 1);
    for (let page = Math.max(from, first); page < end; page++) free.add(page);
  };
  try {
    if (root !== undefined) walk({ descriptor, pageBytes, note }, root, 0);
  } catch (error) {
    if (error instanceof UnreadablePage || error instanceof RangeError) return false;
    throw error;
  }
  return free.size >= missing;
}

class UnreadablePage extends Error {}

interface Walk {
  readonly descriptor: number;
  readonly pageBytes: number;
  readonly note: (from: number, count: number) => void;
}

function walk(tree: Walk, number: number, depth: number): void {
  const page = readAt(tree, number * tree.pageBytes, tree.pageBytes);
  const flags = page.readUInt16LE(flagsAt);
  if (depth > depthMax || (flags & (branchFlag | leafFlag)) === 0) throw new UnreadablePage();
  const nodes = page.readUInt16LE(lowerAt) >> 1;
  for (let index = 0; index < nodes; index++) {
    const node = page.readUInt16LE(headerBytes + 2 * index) + headerBytes;
    const low = page.readUInt32LE(node);
    const nodeFlags = page.readUInt16LE(node + 4);
    if ((flags & branchFlag) !== 0) {
      walk(tree, low + nodeFlags * 2 ** 32, depth + 1);
      continue;
    }
    const data = node + nodeBytes + page.readUInt16LE(node + 6);
    const isBig = (nodeFlags & bigDataFlag) !== 0;
    const overflow = isBig ? Number(page.readBigUInt64LE(data)) * tree.pageBytes + headerBytes : 0;
    noteList(isBig ? readAt(tree, overflow, low) : page.subarray(data, data + low), tree.note);
  }
}

/** Reads a list: its count, then words. A positive word is a page; a negative one is a count, followed by the first page. 0 is unused. */
function noteList(list: Buffer, note: Walk['note']): void {
  const count = Math.min(Number(list.readBigInt64LE(0)), list.length / 8 - 1);
  for (let index = 1; index <= count; index++) {
    const word = Number(list.readBigInt64LE(8 * index));
    if (word > 0) note(word, 1);
    if (word >= 0) continue;
    index++;
    if (index <= count) note(Number(list.readBigInt64LE(8 * index)), -word);
  }
}

function readAt({ descriptor }: Walk, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  if (readSync(descriptor, bytes, 0, length, position) < length) throw new UnreadablePage();
  return bytes;
}
