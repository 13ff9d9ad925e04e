import { utf8FromText } from '@cairn/platform';
import type { PbLink } from './dag-pb.ts';
import { InvalidNodeError } from './errors.ts';
import { murmur3x64 } from './murmur3.ts';
import type { UnixfsNode } from './node.ts';

/** Multicodec code of `murmur3-x64-64`, the only hash function of sharded directories. */
export const shardHashCode = 0x22;

/** Kubo's default fanout: the number of positions in a shard. */
export const shardFanoutDefault = 256;

/** Maximum fanout. Nodes with more links do not fit into a block. */
export const shardFanoutMax = 1024;

const hashBits = 64;

/** Reports whether Kubo accepts the fanout: a power of two and a multiple of 8. */
export function isFanout(fanout: number): boolean {
  return Number.isInteger(fanout) && fanout >= 8 && fanout <= shardFanoutMax && (fanout & (fanout - 1)) === 0;
}

/** Maximum depth of a sharded directory: deeper levels have no bits of the hash left. */
export function shardDepthMax(fanout: number): number {
  return Math.floor(hashBits / Math.log2(fanout));
}

/** Returns the position of a name in the shard at `depth`, where 0 is the root: the next bits of its hash, highest first. */
export function positionOf(hash: bigint, depth: number, fanout: number): number {
  const bits = Math.log2(fanout);
  return Number((hash >> BigInt(hashBits - bits * (depth + 1))) & BigInt(fanout - 1));
}

/** Computes the hash of a name, which determines its positions. */
export function hashOfName(name: string): bigint {
  return murmur3x64(utf8FromText(name));
}

/** Formats a position as the prefix of a link name: upper-case hexadecimal, padded with zeros. */
export function positionPrefix(position: number, fanout: number): string {
  return position.toString(16).toUpperCase().padStart(prefixLength(fanout), '0');
}

function prefixLength(fanout: number): number {
  return (fanout - 1).toString(16).length;
}

/** Occupied position of a shard. With a name it is an entry of the directory, without one a shard of the next level. */
export interface ShardChild {
  readonly position: number;
  readonly name: string | undefined;
  readonly link: PbLink;
}

/** Returns the occupied positions of a shard in order. @throws DAG_INVALID for an inconsistent node */
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

/** Returns the numbers of the set bits in ascending order; `undefined` for a bitfield longer than `fanout`. */
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

/** Encodes the occupied positions as a bitfield: a big-endian number without leading zeros. */
export function bitfieldOf(positions: Iterable<number>, fanout: number): Uint8Array {
  const bitfield = new Uint8Array(fanout / 8);
  for (const position of positions) {
    const at = bitfield.length - 1 - (position >> 3);
    bitfield[at] = (bitfield[at] ?? 0) | (1 << (position & 7));
  }
  const first = bitfield.findIndex((byte) => byte !== 0);
  return first === -1 ? new Uint8Array(0) : bitfield.subarray(first);
}
