// Hot path of every read and walk. It finds the fields of a dag-pb block without allocating objects: a block of 2 MiB has
// up to a million links. pb-reader.spec.ts compares it with the decoder of @ipld/dag-pb; dag-pb.bench.ts measures both.
import { isCidAt } from '@cairn/cid';
import { ProtobufError } from './protobuf.ts';

const varintBytesMax = 10;

/**
 * Reads a dag-pb block link by link (https://ipld.io/specs/codecs/dag-pb/spec/), as strictly as go-codec-dagpb: fields
 * occur once and in order, and no other field stands between links. The fields of the current link are offsets in the
 * block.
 */
export class PbReader {
  readonly bytes: Uint8Array;
  hashStart = 0;
  hashEnd = 0;
  nameStart = 0;
  nameEnd = 0;
  tsize = 0;
  #at = 0;
  #hasLinks = false;
  #hasEnded = false;
  #data: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Data of the node, as far as it was read. Absent and empty data are different nodes. */
  get data(): Uint8Array | undefined {
    return this.#data;
  }

  /** Advances to the next link. Returns false at the end of the block. @throws ProtobufError */
  next(): boolean {
    const { length } = this.bytes;
    while (this.#at < length) {
      const tag = this.#varint(length);
      const [field, wireType] = [Math.floor(tag / 8), tag % 8];
      if (wireType !== 2) throw new ProtobufError(`field ${field} of the node has wire type ${wireType}`);
      const end = this.#end(length);
      if (field === 2) {
        if (this.#hasEnded) throw new ProtobufError('it has links before and after its data');
        this.#hasLinks = true;
        this.#link(end);
        return true;
      }
      if (field !== 1) throw new ProtobufError(`field ${field} of the node is unknown`);
      if (this.#data !== undefined) throw new ProtobufError('it has two data fields');
      this.#data = this.bytes.subarray(this.#at, end);
      this.#hasEnded = this.#hasLinks;
      this.#at = end;
    }
    return false;
  }

  #link(end: number): void {
    this.hashStart = this.hashEnd = -1;
    this.nameStart = this.nameEnd = 0;
    this.tsize = 0;
    let last = 0;
    while (this.#at < end) {
      const tag = this.#varint(end);
      const [field, wireType] = [Math.floor(tag / 8), tag % 8];
      if (field < 1 || field > 3) throw new ProtobufError(`field ${field} of a link is unknown`);
      if (wireType !== (field === 3 ? 0 : 2))
        throw new ProtobufError(`field ${field} of a link has wire type ${wireType}`);
      if (field <= last) throw new ProtobufError(`field ${field} of a link comes after field ${last}`);
      last = field;
      if (field === 3) {
        this.tsize = this.#varint(end);
        continue;
      }
      const fieldEnd = this.#end(end);
      if (field === 1) [this.hashStart, this.hashEnd] = [this.#at, fieldEnd];
      else [this.nameStart, this.nameEnd] = [this.#at, fieldEnd];
      this.#at = fieldEnd;
    }
    if (this.hashStart === -1) throw new ProtobufError('a link has no CID');
    if (!isCidAt(this.bytes, this.hashStart, this.hashEnd)) throw new ProtobufError('a link has no valid CID');
  }

  /** Reads a length and returns the end of its field. */
  #end(limit: number): number {
    const end = this.#varint(limit) + this.#at;
    if (end > limit) throw new ProtobufError('it ends within a field');
    return end;
  }

  /** Reads an unsigned integer of 64 bits. It is not exact above 2^53. */
  #varint(limit: number): number {
    let value = 0;
    let factor = 1;
    for (let read = 0; read < varintBytesMax; read++) {
      if (this.#at >= limit) throw new ProtobufError('it ends within an integer');
      const byte = this.bytes[this.#at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
    throw new ProtobufError('an integer has more than 64 bits');
  }
}
