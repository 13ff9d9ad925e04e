import { crc32 } from 'node:zlib';
import { type ChainSpec, type ForkName, type ForkSchedule, forkSchedule, type Hex } from '@cairn/block-model';

/** A fork that a timestamp activates. */
export interface TimedFork {
  readonly name: ForkName;
  /** In seconds since 1970. */
  readonly time: bigint;
}

/** Forks of the OP stack that are no Ethereum forks. */
const opForks: ReadonlySet<ForkName> = new Set<ForkName>(['fjord', 'granite', 'jovian']);
/** The merge has no activation block of its own. A genesis file names one as mergeNetsplitBlock. */
const uncountedFork: ForkName = 'paris';
const unknownBlock = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns the forks in order of time. Forks with one time are represented by the last of them. */
export function timedForks(spec: ChainSpec): readonly TimedFork[] {
  const byTime = new Map<bigint, TimedFork>();
  for (const { name, time } of forksOf(forkSchedule(spec))) if (time !== undefined) byTime.set(time, { name, time });
  return [...byTime.values()].sort((a, b) => Number(a.time - b.time));
}

/**
 * Returns the hash of the fork ID from the activation of a fork by time on (EIP-2124, EIP-6122): the CRC-32 of the genesis hash,
 * the blocks of the forks, and their times after the genesis block.
 */
export function forkIdHash(spec: ChainSpec, genesisHash: Hex, { time: until }: TimedFork): Hex {
  const genesisTime = 'known' in spec ? 0n : BigInt(String(spec.genesis.timestamp ?? 0));
  const blocks = new Set<bigint>();
  const times = new Set<bigint>();
  for (const { name, block, time } of forksOf(forkSchedule(spec))) {
    if (time !== undefined && time > genesisTime && time <= until) times.add(time);
    if (block !== undefined && block > 0n && block !== unknownBlock && name !== uncountedFork) blocks.add(block);
  }
  let hash = crc32(Buffer.from(genesisHash.slice(2), 'hex'));
  for (const activation of [...sorted(blocks), ...sorted(times)]) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(activation);
    hash = crc32(bytes, hash);
  }
  return `0x${hash.toString(16).padStart(8, '0')}`;
}

function forksOf({ forks }: ForkSchedule) {
  return forks.filter(({ name }) => !opForks.has(name));
}

function sorted(activations: ReadonlySet<bigint>): bigint[] {
  return [...activations].sort((a, b) => Number(a - b));
}
