import { headerBytes, PageDamage, pageFlags } from './page-file.ts';

const nodeHeaderBytes = 8;
const overflowBytes = 24;
export const nodeFlags = { overflow: 1, tree: 2 } as const;

export interface BranchNode {
  readonly key: Buffer;
  readonly child: number;
}

export interface LeafNode {
  readonly key: Buffer;
  /** Bytes of the value, or the reference to its overflow pages. */
  readonly data: Buffer;
  readonly flags: number;
  /** Length of the value. */
  readonly length: number;
}

/** Expected properties of a page at its position in a tree. */
export interface PageExpectation {
  readonly number: number;
  readonly kind: 'branch' | 'leaf';
  /** Transaction of the parent. No page is newer than its parent. */
  readonly transactionMax: bigint;
}

/** Verifies the header of a page and returns its transaction and bounds. @throws {PageDamage} */
function verifyHeader(page: Buffer, { number, kind, transactionMax }: PageExpectation) {
  const fail = (problem: string) => new PageDamage(`page ${number} ${problem}`);
  if (page.readBigUInt64LE(0) !== BigInt(number)) throw fail('has the number of another page');
  const flags = page.readUInt16LE(18);
  if (flags !== pageFlags[kind]) throw fail(`has flags ${flags} and must be a ${kind} page`);
  const transaction = page.readBigUInt64LE(8);
  if (transaction > transactionMax) throw fail(`is of transaction ${transaction}, after that of its parent`);
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  const room = page.length - headerBytes;
  if (lower % 2 !== 0 || lower > upper || upper > room || lower === 0) throw fail('has impossible bounds');
  return { transaction, count: lower / 2, upper, room, fail };
}

/** Returns the nodes of a branch page. LMDB does not use the key of the first one. @throws {PageDamage} */
export function branchNodes(page: Buffer, expected: PageExpectation) {
  const { transaction, count, upper, room, fail } = verifyHeader(page, expected);
  const nodes: BranchNode[] = [];
  let used = 0;
  for (let index = 0; index < count; index++) {
    const { at, keyBytes } = nodePosition(page, index, { upper, room, fail });
    const end = at + nodeHeaderBytes + keyBytes;
    if (end > page.length) throw fail(`has a key beyond its end`);
    used += even(nodeHeaderBytes + keyBytes);
    const child = page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32;
    nodes.push({ key: page.subarray(at + nodeHeaderBytes, end), child });
  }
  if (used !== room - upper) throw fail(`has nodes of ${used} bytes in ${room - upper}`);
  return { transaction, nodes };
}

/** Returns the nodes of a leaf page. @throws {PageDamage} */
export function leafNodes(page: Buffer, expected: PageExpectation) {
  const { transaction, count, upper, room, fail } = verifyHeader(page, expected);
  const nodes: LeafNode[] = [];
  let used = 0;
  for (let index = 0; index < count; index++) {
    const { at, keyBytes } = nodePosition(page, index, { upper, room, fail });
    const length = page.readUInt32LE(at);
    const flags = page.readUInt16LE(at + 4);
    if (flags > nodeFlags.tree) throw fail(`has a node with flags ${flags}`);
    const dataAt = at + nodeHeaderBytes + keyBytes;
    const dataBytes = flags === nodeFlags.overflow ? overflowBytes : length;
    if (keyBytes === 0 || dataAt + dataBytes > page.length) throw fail('has a node beyond its end');
    used += even(nodeHeaderBytes + keyBytes + dataBytes);
    const key = page.subarray(at + nodeHeaderBytes, dataAt);
    nodes.push({ key, data: page.subarray(dataAt, dataAt + dataBytes), flags, length });
  }
  if (used !== room - upper) throw fail(`has nodes of ${used} bytes in ${room - upper}`);
  return { transaction, nodes };
}

/** Returns the position of a node. LMDB stores nodes adjacent to each other up to the end of the page, at even offsets. */
function nodePosition(
  page: Buffer,
  index: number,
  { upper, room, fail }: { readonly upper: number; readonly room: number; readonly fail: (problem: string) => Error },
) {
  const offset = page.readUInt16LE(headerBytes + 2 * index);
  if (offset < upper || offset + nodeHeaderBytes > room || offset % 2 !== 0) throw fail(`has a node at ${offset}`);
  const at = headerBytes + offset;
  return { at, keyBytes: page.readUInt16LE(at + 6) };
}

function even(length: number): number {
  return length + (length & 1);
}
