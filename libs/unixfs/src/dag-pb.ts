import { CID } from '@cairn/cid';
import { ProtobufError, ProtobufReader, varintLength, writeVarint } from './protobuf.ts';

/** A link of a dag-pb node (https://ipld.io/specs/codecs/dag-pb/spec/). */
export interface PbLink {
  readonly cid: CID;
  readonly name: string;
  /** Cumulative size of the linked DAG in bytes, as its author declared it. */
  readonly tsize: number;
}

export interface PbNode {
  readonly links: readonly PbLink[];
  /** Absent and empty are different nodes with different CIDs. */
  readonly data: Uint8Array | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8');

/** Encodes a node as Kubo does: links first, in the order given, each with hash, name and size; then the data. */
export function encodePbNode({ links, data }: PbNode): Uint8Array {
  const parts = links.map(({ cid, name, tsize }) => {
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
    return { hash: cid.bytes, nameBytes, tsize, length };
  });
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

/** Decodes a node. Unknown fields are refused, as the specification asks. @throws ProtobufError */
export function decodePbNode(bytes: Uint8Array): PbNode {
  const reader = new ProtobufReader(bytes);
  const links: PbLink[] = [];
  let data: Uint8Array | undefined;
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (wireType !== 2) throw new ProtobufError(`field ${field} of the node has wire type ${wireType}`);
    if (field === 1) {
      if (data !== undefined) throw new ProtobufError('it has two data fields');
      data = reader.bytes();
    } else if (field === 2) links.push(decodeLink(reader.bytes()));
    else throw new ProtobufError(`field ${field} of the node is unknown`);
  }
  return { links, data };
}

function decodeLink(bytes: Uint8Array): PbLink {
  const reader = new ProtobufReader(bytes);
  let cid: CID | undefined;
  let name = '';
  let tsize = 0;
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (field === 1 && wireType === 2) {
      try {
        cid = CID.decode(reader.bytes());
      } catch {
        throw new ProtobufError('a link has no valid CID');
      }
    } else if (field === 2 && wireType === 2) name = decoder.decode(reader.bytes());
    else if (field === 3 && wireType === 0) tsize = reader.varint();
    else throw new ProtobufError(`field ${field} of a link is unknown`);
  }
  if (cid === undefined) throw new ProtobufError('a link has no CID');
  return { cid, name, tsize };
}
