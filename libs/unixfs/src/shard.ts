import { utf8FromText } from '@cairn/platform';
import type { PbLink } from './dag-pb.ts';
import { InvalidNodeError } from './errors.ts';
import { murmur3x64 } from './murmur3.ts';
import type { UnixfsNode } from './node.ts';

/** Multicodec code of `murmur3-x64-64`, the only hash function of sharded directories. */
export const shardHashCode = 0x22;

/** Kubo's number of positions in a shard. */
export const shardFanoutDefault = 256;

/** More positions than this make nodes that no block holds. */
export const shardFanoutMax = 1024;

const hashBits = 64;

/** True for a number of positions that Kubo takes: a power of two and a multiple of 8. */
export function isFanout(fanout: number): boolean {
  return Number.isInteger(fanout) && fanout >= 8 && fanout <= shardFanoutMax && (fanout & (fanout - 1)) === 0;
}

/** Levels that a sharded directory has at most: after them the hash of a name has no bits left. */
export function shardDepthMax(fanout: number): number {
  return Math.floor(hashBits / Math.log2(fanout));
}

/** The position of a name in the shard at `depth`, where 0 is the root: the next bits of its hash, highest first. */
export function positionOf(hash: bigint, depth: number, fanout: number): number {
  const bits = Math.log2(fanout);
  return Number((hash >> BigInt(hashBits - bits * (depth + 1))) & BigInt(fanout - 1));
}

/** The hash that places a name. */
export function hashOfName(name: string): bigint {
  return murmur3x64(utf8FromText(name));
}

/** Digits of a position's number in a link's name: hexadecimal, upper case, padded with zeros. */
export function positionPrefix(position: number, fanout: number): string {
  return position.toString(16).toUpperCase().padStart(prefixLength(fanout), '0');
}

function prefixLength(fanout: number): number {
  return (fanout - 1).toString(16).length;
}

/** A taken position: with a name it is an entry of the directory, without one the shard below. */
export interface ShardChild {
  readonly position: number;
  readonly name: string | undefined;
  readonly link: PbLink;
}

/** The taken positions of a shard, in order. @throws DAG_INVALID for a node that does not agree with itself */
export function childrenOf({ cid, links, data, hashType, fanout = 0 }: UnixfsNode): readonly ShardChild[] {
  const refuse = (reason: string) => new InvalidNodeError(cid.toString(), reason);
  if (hashType !== shardHashCode)
    throw refuse(`its hash function is ${hashType}, not murmur3-x64-64 (${shardHashCode})`);
  if (!isFanout(fanout)) throw refuse(`its fanout is ${fanout}, not a power of two from 8 to ${shardFanoutMax}`);
  const taken = takenPositions(data, fanout);
  if (taken?.length !== links.length) throw refuse('its bitfield and its links do not agree');
  return links.map((link, index) => {
    const position = taken[index] ?? 0;
    const prefix = positionPrefix(position, fanout);
    if (!link.name.startsWith(prefix)) throw refuse(`the link of position ${position} does not start with ${prefix}`);
    const name = link.name.slice(prefix.length);
    return { position, name: name === '' ? undefined : name, link };
  });
}

/** The numbers of the bits that are set, ascending; `undefined` for a bitfield longer than `fanout`. */
function takenPositions(bitfield: Uint8Array, fanout: number): readonly number[] | undefined {
  if (bitfield.length > fanout / 8) return undefined;
  const taken: number[] = [];
  for (let at = bitfield.length - 1; at >= 0; at--) {
    const byte = bitfield[at] ?? 0;
    const base = (bitfield.length - 1 - at) * 8;
    for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) taken.push(base + bit);
  }
  return taken;
}

/** The bitfield of taken positions as a big-endian number without leading zeros. */
export function bitfieldOf(positions: Iterable<number>, fanout: number): Uint8Array {
  const bitfield = new Uint8Array(fanout / 8);
  for (const position of positions) {
    const at = bitfield.length - 1 - (position >> 3);
    bitfield[at] = (bitfield[at] ?? 0) | (1 << (position & 7));
  }
  const first = bitfield.findIndex((byte) => byte !== 0);
  return first === -1 ? new Uint8Array(0) : bitfield.subarray(first);
}
