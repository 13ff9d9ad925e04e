import { CID, codecs } from '@cairn/cid';
import type { Database, Environment } from '@cairn/embedded-store';
import { CidList } from '../cid-list.ts';
import { isStored } from '../walk-dag.ts';
import { type Change, decodeWork, encodeWork, type Work } from './work.ts';

/** Number of references changed for one work before the rest of its children is queued again. */
const childrenPerWork = 256;

const leafCodecs: ReadonlySet<number> = new Set([codecs.raw, codecs.cbor, codecs.json]);

interface Node {
  /** References from roots and from nodes that are referenced themselves. */
  refs: number;
  /** Queued works on its children. */
  pending: number;
  /** True when its children are stored. */
  isExpanded: boolean;
}

/**
 * Reference counts of blocks below roots. A node adds one reference to each child when it gets its first reference, and
 * removes them with its last one. A change of a root thus costs the blocks that begin or end to be reachable, not the DAG.
 *
 * Changes wait in a queue on the disk. Each transaction takes works from the queue, so that a kill loses and repeats none.
 * Counts may be negative meanwhile: a removal of one root may run before an addition of another one. The children of a node
 * are stored, so that a removal needs no block, which garbage collection may have removed.
 */
export class ReferenceTables {
  readonly #refs: Database;
  readonly #nodes: Database;
  readonly #children: Database;
  readonly #work: Database;
  readonly #missing: Database;
  /** Blocks that got their first reference in the current transaction, as CIDs of version 1. */
  #added: CID[] = [];

  constructor(environment: Environment) {
    this.#refs = environment.database('refs');
    this.#nodes = environment.database('nodes');
    this.#children = environment.database('children');
    this.#work = environment.database('work');
    this.#missing = environment.database('missing');
  }

  /** Reports whether a root reaches the block. One lookup. */
  has(cid: CID): boolean {
    const found = this.#refs.get(cid.multihash.bytes);
    return found !== undefined && view(found).getInt32(0) > 0;
  }

  get blocks(): number {
    return this.#refs.count();
  }

  get waiting(): number {
    return this.#work.count();
  }

  /** Nodes whose block is not stored. */
  get missing(): number {
    return this.#missing.count();
  }

  /** Returns the first works of the queue. */
  next(limit: number): readonly { readonly key: Uint8Array; readonly work: Work }[] {
    return [...this.#work.range({ limit })].map(({ key, value }) => ({ key, work: decodeWork(value) }));
  }

  /** Reports whether a work needs the links of its block. */
  needsLinks({ kind, change, cid }: Work): boolean {
    return kind === 'children' && change === 1 && this.#node(cid)?.isExpanded === false;
  }

  /** Queues a change of one root. Inside a transaction, as all methods below. */
  changeRoot(cid: CID, change: Change): void {
    if (isStored(cid)) this.#push({ kind: 'block', change, cid: CID.createV1(cid.code, cid.multihash), from: 0 });
  }

  /**
   * Takes a work from the queue. `links` are those of its block; undefined for a block that is not stored.
   * @returns the number of changed references
   */
  take(key: Uint8Array, { kind, change, cid, from }: Work, links: CidList | undefined): number {
    // Another process may have taken it.
    if (!this.#work.remove(key)) return 0;
    if (kind === 'block') {
      this.#changeBlock(cid, change);
      return 1;
    }
    return this.#changeChildren({ kind, change, cid, from }, links);
  }

  /** Returns the blocks that got their first reference since the last call. */
  takeAdded(): CID[] {
    const added = this.#added;
    this.#added = [];
    return added;
  }

  /** Returns nodes whose block was missing, from the first one after `after`. */
  missingNodes(limit: number, after?: Uint8Array): readonly CID[] {
    return [...this.#missing.keys({ ...(after && { start: after }), limit })].map((key) => CID.decode(key));
  }

  /** Queues the children of a node whose block was missing, unless works on it are queued. */
  retryMissing(cid: CID): void {
    const node = this.#node(cid);
    if (node !== undefined && node.pending > 0) return;
    this.#missing.remove(cid.bytes);
    if (node !== undefined && node.refs > 0 && !node.isExpanded) {
      this.#putNode(cid, { ...node, pending: 1 });
      this.#push({ kind: 'children', change: 1, cid, from: 0 });
    }
  }

  #changeBlock(cid: CID, change: Change): void {
    if (leafCodecs.has(cid.code)) {
      this.#changeRefs(cid, change);
      return;
    }
    const node = this.#node(cid) ?? { refs: 0, pending: 0, isExpanded: false };
    const wasReferenced = node.refs > 0;
    node.refs += change;
    if (node.refs > 0 !== wasReferenced) {
      this.#changeRefs(cid, change);
      node.pending++;
      this.#push({ kind: 'children', change, cid, from: 0 });
    }
    this.#putNode(cid, node);
  }

  #changeChildren({ change, cid, from }: Work, links: CidList | undefined): number {
    const node = this.#node(cid);
    if (node === undefined) return 0;
    if (!node.isExpanded && change === 1 && links !== undefined) {
      this.#children.put(cid.bytes, encodeChildren(links));
      node.isExpanded = true;
    }
    // Without its block neither the addition nor the removal is applied to the children.
    if (!node.isExpanded) {
      if (change === 1) this.#missing.put(cid.bytes, new Uint8Array(1));
      node.pending--;
      this.#putNode(cid, node);
      return 1;
    }
    this.#missing.remove(cid.bytes);
    const children = decodeChildren(this.#children.get(cid.bytes), from, childrenPerWork);
    for (const child of children.cids) this.#changeBlock(child, change);
    if (children.next !== undefined) this.#push({ kind: 'children', change, cid, from: children.next });
    else {
      node.pending--;
      this.#putNode(cid, node);
    }
    return children.cids.length + 1;
  }

  #changeRefs(cid: CID, change: Change): void {
    const key = cid.multihash.bytes;
    const found = this.#refs.get(key);
    const before = found === undefined ? 0 : view(found).getInt32(0);
    const after = before + change;
    if (after === 0) this.#refs.remove(key);
    else {
      const bytes = new Uint8Array(4);
      view(bytes).setInt32(0, after);
      this.#refs.put(key, bytes);
    }
    if (before <= 0 && after > 0) this.#added.push(cid);
  }

  #node(cid: CID): Node | undefined {
    const found = this.#nodes.get(cid.bytes);
    if (found === undefined) return undefined;
    const at = view(found);
    return { refs: at.getInt32(0), pending: at.getUint32(4), isExpanded: at.getUint8(8) === 1 };
  }

  #putNode(cid: CID, { refs, pending, isExpanded }: Node): void {
    if (refs === 0 && pending === 0) {
      this.#nodes.remove(cid.bytes);
      this.#children.remove(cid.bytes);
      this.#missing.remove(cid.bytes);
      return;
    }
    const bytes = new Uint8Array(9);
    const at = view(bytes);
    at.setInt32(0, refs);
    at.setUint32(4, pending);
    at.setUint8(8, isExpanded ? 1 : 0);
    this.#nodes.put(cid.bytes, bytes);
  }

  #push(work: Work): void {
    const last = this.#work.last({});
    const key = Buffer.alloc(8);
    key.writeBigUInt64BE(last === undefined ? 1n : Buffer.from(last.key).readBigUInt64BE() + 1n);
    this.#work.put(key, encodeWork(work));
  }
}

/** Encodes links as length and bytes each. Identity CIDs name no block. */
function encodeChildren(links: CidList): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const cid of links) {
    if (!isStored(cid)) continue;
    const { bytes } = CID.createV1(cid.code, cid.multihash);
    parts.push(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes);
  }
  return Buffer.concat(parts);
}

/** Decodes `limit` children from a byte position. `next` is the position of the first further one. */
function decodeChildren(bytes: Uint8Array | undefined, from: number, limit: number) {
  const cids: CID[] = [];
  let at = from;
  if (bytes === undefined) return { cids, next: undefined };
  while (at < bytes.length && cids.length < limit) {
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    cids.push(CID.decode(bytes.slice(at + 2, at + 2 + length)));
    at += 2 + length;
  }
  return { cids, next: at < bytes.length ? at : undefined };
}

function view({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
