import {
  type BlobSchedule,
  type ChainPlace,
  type ChainSpec,
  type ForkName,
  type ForkSchedule,
  forkAt,
  forkSchedule,
  forksIncluded,
  type Hex,
  isPostMerge,
} from '@cairn/block-model';
import { precompileTable } from '../precompiles/precompile-table.ts';
import type { ForkRules } from './fork-rules.ts';

interface ChainForks {
  readonly schedule: ForkSchedule;
  readonly rules: Map<ForkName, ForkRules>;
}

const chains = new WeakMap<ChainSpec, ChainForks>();

function chainForks(spec: ChainSpec): ChainForks {
  let forks = chains.get(spec);
  if (forks === undefined) {
    forks = { schedule: forkSchedule(spec), rules: new Map() };
    chains.set(spec, forks);
  }
  return forks;
}

/** Reports whether blocks with this number and time are proof-of-stake blocks. */
export function isMergedAt(spec: ChainSpec, place: ChainPlace): boolean {
  return isPostMerge(chainForks(spec).schedule, place);
}

/** Returns the rules for a block number and time of a chain. They are cached per `spec` object and fork. */
export function forkRules(spec: ChainSpec, place: ChainPlace): ForkRules {
  const { schedule, rules: known } = chainForks(spec);
  const hardfork = forkAt(schedule, place);
  let rules = known.get(hardfork);
  if (rules === undefined) {
    rules = makeRules(spec, schedule, hardfork);
    known.set(hardfork, rules);
  }
  return rules;
}

function makeRules(spec: ChainSpec, schedule: ForkSchedule, hardfork: ForkName): ForkRules {
  const { depositContract } = schedule;
  const included = forksIncluded(schedule, hardfork);
  const has = (name: ForkName) => included.has(name);
  const blobs = has('cancun') ? blobsOf(schedule, included) : undefined;
  return {
    spec,
    hardfork,
    chainId: BigInt(spec.chainId),
    isHomestead: has('homestead'),
    isTangerineWhistle: has('tangerineWhistle'),
    isSpuriousDragon: has('spuriousDragon'),
    isByzantium: has('byzantium'),
    isConstantinople: has('constantinople'),
    isStorageNetMetered: has('istanbul') || (has('constantinople') && !has('petersburg')),
    isIstanbul: has('istanbul'),
    isBerlin: has('berlin'),
    isLondon: has('london'),
    isMerged: has('paris'),
    isShanghai: has('shanghai'),
    isCancun: has('cancun'),
    isPrague: has('prague'),
    isOsaka: has('osaka'),
    isOpStack: schedule.isOpStack,
    precompileInputMax: inputLimits(has),
    precompiles: precompileTable
      .filter(({ since, opStackSince }) => since === 'frontier' || has(since) || (opStackSince && has(opStackSince)))
      .map(({ address }): Hex => `0x${address.toString(16).padStart(40, '0')}`),
    blobFeeUpdateFraction: blobs?.feeUpdateFraction ?? 0n,
    blobsMax: blobs?.max ?? 0n,
    blobsTarget: blobs?.target ?? 0n,
    depositContract,
  };
}

/** Maximum input lengths of the forks of the OP stack, in bytes (its specification: Granite, Isthmus, Jovian). */
const opInputLimits = [
  ['granite', { 8: 112_687 }],
  ['prague', { 12: 513_760, 14: 488_448, 15: 235_008 }],
  ['jovian', { 8: 81_984, 12: 288_960, 14: 278_784, 15: 156_672 }],
] as const;

function inputLimits(has: (name: ForkName) => boolean): ReadonlyMap<number, number> {
  const limits = new Map<number, number>();
  // Granite exists on OP-stack chains only, and precedes the other two.
  if (!has('granite')) return limits;
  for (const [fork, entries] of opInputLimits)
    if (has(fork)) for (const [address, bytes] of Object.entries(entries)) limits.set(Number(address), bytes);
  return limits;
}

/** Blob counts of the latest fork that defines them. */
function blobsOf({ blobs }: ForkSchedule, names: ReadonlySet<ForkName>): BlobSchedule | undefined {
  return [...names]
    .map((name) => blobs[name])
    .filter((schedule) => schedule !== undefined)
    .at(-1);
}
