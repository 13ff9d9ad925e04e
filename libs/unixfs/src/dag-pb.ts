// Hot path of every import and read. dag-pb.bench.ts compares it with @ipld/dag-pb; docs/decisions/dag-pb-codecs.md has the
// reasons for two codecs.
import { type ReadOptions, runInSlices, runSync, Slices } from '@cairn/blockstore/core';
import { CID } from '@cairn/cid';
import { PbReader } from './pb-reader.ts';
import { ProtobufError, varintLength, writeVarint } from './protobuf.ts';

/**
 * Link of a dag-pb node (https://ipld.io/specs/codecs/dag-pb/spec/). `cid` of a decoded link is a getter, so a spread of
 * the link lacks it.
 */
export interface PbLink {
  readonly cid: CID;
  readonly name: string;
  /** Cumulative size of the linked DAG in bytes, as declared by its author. */
  readonly tsize: number;
}

export interface PbNode {
  readonly links: readonly PbLink[];
  /** Absent and empty data are different nodes with different CIDs. */
  readonly data: Uint8Array | undefined;
}

const linksPerStep = 256;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Encodes a node as Kubo does: links first, in the given order, each with hash, name and size; then the data. */
export function encodePbNode(node: PbNode): Uint8Array {
  return runSync(pbBytesSteps(node));
}

/** Encodes a node as {@link encodePbNode} does, in slices. */
export function writePbNode(node: PbNode, { signal }: ReadOptions = {}): Promise<Uint8Array> {
  return runInSlices(pbBytesSteps(node), Slices.of(signal));
}

/** Encodes a node as {@link encodePbNode} does, and yields after every 256 links. */
export function* pbBytesSteps({ links, data }: PbNode): Generator<undefined, Uint8Array> {
  const parts: {
    readonly hash: Uint8Array;
    readonly nameBytes: Uint8Array;
    readonly tsize: number;
    readonly length: number;
  }[] = [];
  for (const { cid, name, tsize } of links) {
    const nameBytes = encoder.encode(name);
    const length =
      1 +
      varintLength(cid.bytes.length) +
      cid.bytes.length +
      1 +
      varintLength(nameBytes.length) +
      nameBytes.length +
      1 +
      varintLength(tsize);
    parts.push({ hash: cid.bytes, nameBytes, tsize, length });
    if (parts.length % linksPerStep === 0) yield;
  }
  let total = data === undefined ? 0 : 1 + varintLength(data.length) + data.length;
  for (const { length } of parts) total += 1 + varintLength(length) + length;
  const out = new Uint8Array(total);
  let at = 0;
  for (const { hash, nameBytes, tsize, length } of parts) {
    out[at++] = 0x12;
    at = writeVarint(out, at, length);
    out[at++] = 0x0a;
    at = writeBytes(out, at, hash);
    out[at++] = 0x12;
    at = writeBytes(out, at, nameBytes);
    out[at++] = 0x18;
    at = writeVarint(out, at, tsize);
  }
  if (data !== undefined) {
    out[at++] = 0x0a;
    writeBytes(out, at, data);
  }
  return out;
}

function writeBytes(out: Uint8Array, offset: number, bytes: Uint8Array): number {
  const at = writeVarint(out, offset, bytes.length);
  out.set(bytes, at);
  return at + bytes.length;
}

interface CidPlace {
  readonly block: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Link of a decoded node. Its CID is decoded on access, since a wide node has too many links to keep all CIDs in memory. */
class LinkView implements PbLink {
  readonly name: string;
  readonly tsize: number;
  readonly #block: Uint8Array;
  readonly #start: number;
  readonly #end: number;

  constructor(name: string, tsize: number, { block, start, end }: CidPlace) {
    this.name = name;
    this.tsize = tsize;
    this.#block = block;
    this.#start = start;
    this.#end = end;
  }

  static of({ bytes, hashStart, hashEnd, nameStart, nameEnd, tsize }: PbReader): LinkView {
    if (tsize > Number.MAX_SAFE_INTEGER) throw new ProtobufError('an integer is larger than 2^53');
    const name = nameStart === nameEnd ? '' : decoder.decode(bytes.subarray(nameStart, nameEnd));
    return new LinkView(name, tsize, { block: bytes, start: hashStart, end: hashEnd });
  }

  renamed(name: string): LinkView {
    return new LinkView(name, this.tsize, { block: this.#block, start: this.#start, end: this.#end });
  }

  /** Decodes a copy of the bytes, so that a retained CID does not retain the block. */
  get cid(): CID {
    return CID.decode(Uint8Array.prototype.slice.call(this.#block, this.#start, this.#end));
  }
}

/** Returns the link with another name. A spread would lose the CID, which can be a getter. */
export function renamedLink(link: PbLink, name: string): PbLink {
  return link instanceof LinkView ? link.renamed(name) : { cid: link.cid, name, tsize: link.tsize };
}

/** Decodes a node as strictly as {@link PbReader}, and yields after every 256 links. @throws ProtobufError */
export function* pbNodeSteps(bytes: Uint8Array): Generator<undefined, PbNode> {
  const reader = new PbReader(bytes);
  const links: PbLink[] = [];
  while (reader.next()) {
    links.push(LinkView.of(reader));
    if (links.length % linksPerStep === 0) yield;
  }
  return { links, data: reader.data };
}

/** Decodes a node synchronously, for blocks that are known to be short. @throws ProtobufError */
export function decodePbNode(bytes: Uint8Array): PbNode {
  return runSync(pbNodeSteps(bytes));
}

/** Decodes a node in slices. @throws ProtobufError */
export function readPbNode(bytes: Uint8Array, { signal }: ReadOptions = {}): Promise<PbNode> {
  return runInSlices(pbNodeSteps(bytes), Slices.of(signal));
}
