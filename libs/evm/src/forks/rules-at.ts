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
    precompiles: precompileTable
      .filter(({ since }) => since === 'frontier' || has(since))
      .map(({ address }): Hex => `0x${address.toString(16).padStart(40, '0')}`),
    blobFeeUpdateFraction: blobs?.feeUpdateFraction ?? 0n,
    blobsMax: blobs?.max ?? 0n,
    blobsTarget: blobs?.target ?? 0n,
    depositContract,
  };
}

/** Blob counts of the latest fork that defines them. */
function blobsOf({ blobs }: ForkSchedule, names: ReadonlySet<ForkName>): BlobSchedule | undefined {
  return [...names]
    .map((name) => blobs[name])
    .filter((schedule) => schedule !== undefined)
    .at(-1);
}
