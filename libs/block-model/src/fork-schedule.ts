import { type ChainSpec, type KnownChain, terminalTotalDifficulty } from './chain-spec.ts';
import { InvalidValueError } from './errors.ts';
import { ethereumForkFields, optimismConfig } from './op-stack/op-forks.ts';

/**
 * Forks in the order of mainnet, with those of the OP stack that change the EVM (fjord, granite, jovian) between them. Each has the field of a genesis file that activates it (params/config.go of geth).
 */
const forkFields = {
  homestead: 'homesteadBlock',
  dao: 'daoForkBlock',
  tangerineWhistle: 'eip150Block',
  spuriousDragon: 'eip155Block',
  byzantium: 'byzantiumBlock',
  constantinople: 'constantinopleBlock',
  petersburg: 'petersburgBlock',
  istanbul: 'istanbulBlock',
  muirGlacier: 'muirGlacierBlock',
  berlin: 'berlinBlock',
  london: 'londonBlock',
  arrowGlacier: 'arrowGlacierBlock',
  grayGlacier: 'grayGlacierBlock',
  paris: 'mergeForkBlock',
  mergeNetsplitBlock: 'mergeNetsplitBlock',
  shanghai: 'shanghaiTime',
  cancun: 'cancunTime',
  fjord: 'fjordTime',
  granite: 'graniteTime',
  prague: 'pragueTime',
  jovian: 'jovianTime',
  osaka: 'osakaTime',
  bpo1: 'bpo1Time',
  bpo2: 'bpo2Time',
  bpo3: 'bpo3Time',
  bpo4: 'bpo4Time',
  bpo5: 'bpo5Time',
} as const;

export type ForkName = 'chainstart' | keyof typeof forkFields;

const forkNames = Object.keys(forkFields) as (keyof typeof forkFields)[];

/** Blob counts of a fork (EIP-7840). */
export interface BlobSchedule {
  readonly target: bigint;
  readonly max: bigint;
  /** BLOB_BASE_FEE_UPDATE_FRACTION of EIP-4844. */
  readonly feeUpdateFraction: bigint;
}

/** A fork of a chain, with its activation block or time (seconds since 1970). */
export interface ScheduledFork {
  readonly name: ForkName;
  readonly block?: bigint;
  readonly time?: bigint;
}

export interface ForkSchedule {
  /** In the order of activation. */
  readonly forks: readonly ScheduledFork[];
  readonly blobs: Readonly<Partial<Record<ForkName, BlobSchedule>>>;
  /** Address in lower case of the contract whose logs are deposits (EIP-6110). */
  readonly depositContract: string;
  /** The genesis file has the parameters of an OP-stack chain. */
  readonly isOpStack: boolean;
}

/** Position of a block in a chain; `timestamp` in seconds since 1970. */
export interface ChainPlace {
  readonly number: bigint;
  readonly timestamp: bigint;
  /** Difficulty of the block: zero after the merge (EIP-3675). Required for chains whose merge has no block number. */
  readonly difficulty?: bigint;
  /** Overrides number and difficulty as the test for the merge, for simulated blocks that are not part of the chain. */
  readonly isMerged?: boolean;
}

type Config = Readonly<Record<string, unknown>>;

/** EIP-4844, EIP-7691, and the blob-only forks of Fusaka (EIP-7892). */
const blobSchedules = {
  cancun: { target: 3n, max: 6n, feeUpdateFraction: 3_338_477n },
  prague: { target: 6n, max: 9n, feeUpdateFraction: 5_007_716n },
  bpo1: { target: 10n, max: 15n, feeUpdateFraction: 8_346_193n },
  bpo2: { target: 14n, max: 21n, feeUpdateFraction: 11_684_671n },
} as const satisfies Partial<Record<ForkName, BlobSchedule>>;

const mainnetDeposits = '0x00000000219ab540356cbb839cbe05303d7705fa';

const fromGenesisToLondon = {
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  muirGlacierBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
} as const;

/** Fork schedules of known networks, in the format of their genesis files. */
const knownConfigs: Readonly<Record<KnownChain, Config>> = {
  mainnet: {
    homesteadBlock: 1_150_000,
    daoForkBlock: 1_920_000,
    eip150Block: 2_463_000,
    eip155Block: 2_675_000,
    byzantiumBlock: 4_370_000,
    constantinopleBlock: 7_280_000,
    petersburgBlock: 7_280_000,
    istanbulBlock: 9_069_000,
    muirGlacierBlock: 9_200_000,
    berlinBlock: 12_244_000,
    londonBlock: 12_965_000,
    arrowGlacierBlock: 13_773_000,
    grayGlacierBlock: 15_050_000,
    mergeForkBlock: 15_537_394,
    shanghaiTime: 1_681_338_455,
    cancunTime: 1_710_338_135,
    pragueTime: 1_746_612_311,
    osakaTime: 1_764_798_551,
    bpo1Time: 1_765_290_071,
    bpo2Time: 1_767_747_671,
  },
  sepolia: {
    ...fromGenesisToLondon,
    mergeForkBlock: 1_450_409,
    mergeNetsplitBlock: 1_735_371,
    shanghaiTime: 1_677_557_088,
    cancunTime: 1_706_655_072,
    pragueTime: 1_741_159_776,
    osakaTime: 1_760_427_360,
    bpo1Time: 1_761_017_184,
    bpo2Time: 1_761_607_008,
    depositContractAddress: '0x7f02c3e3c98b133055b8b348b2ac625669ed295d',
  },
  hoodi: {
    ...fromGenesisToLondon,
    mergeForkBlock: 0,
    mergeNetsplitBlock: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 1_742_999_832,
    osakaTime: 1_761_677_592,
    bpo1Time: 1_762_365_720,
    bpo2Time: 1_762_955_544,
  },
};

/** Block number for a merge that is decided by the total difficulty alone. */
const mergeBlockUnknown = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Returns the fork schedule of a chain.
 * @throws VALUE_INVALID when EIP-155 and EIP-158 have different activation blocks
 */
export function forkSchedule(spec: ChainSpec): ForkSchedule {
  const isKnown = 'known' in spec;
  const config: Config = isKnown ? knownConfigs[spec.known] : withEthereumForks(spec.genesis.config);
  if (!isKnown && config.eip155Block !== config.eip158Block)
    throw new InvalidValueError(
      'genesis.config.eip158Block',
      'the value of eip155Block, since both belong to one fork',
      config.eip158Block,
    );
  const genesisTime = isKnown ? 0n : BigInt(String(spec.genesis.timestamp ?? 0));
  const listed = forkNames.map((name) => scheduledFork(name, config, genesisTime)).filter((fork) => fork !== undefined);
  const forks = isKnown ? listed : withMerge(listed, config, terminalTotalDifficulty(spec) !== undefined);
  const { depositContractAddress } = config;
  return {
    forks: [{ name: 'chainstart', block: 0n }, ...forks],
    blobs: { ...blobSchedules, ...namedBlobSchedules(config.blobSchedule) },
    isOpStack: optimismConfig(config) !== undefined,
    depositContract:
      typeof depositContractAddress === 'string' ? depositContractAddress.toLowerCase() : mainnetDeposits,
  };
}

/** Adds the times of Ethereum forks that a genesis file of an OP-stack chain omits. */
function withEthereumForks(config: Config): Config {
  if (optimismConfig(config) === undefined) return config;
  const times = Object.entries(ethereumForkFields).map(([field, opField]) => [field, config[field] ?? config[opField]]);
  return { ...config, ...Object.fromEntries(times) };
}

/** Creates the entry of a fork. A fork at the time of the genesis block gets time 0: it is active in every block. */
function scheduledFork(name: keyof typeof forkFields, config: Config, genesisTime: bigint): ScheduledFork | undefined {
  const field = forkFields[name];
  const value = config[field];
  if (typeof value !== 'number') return undefined;
  if (!field.endsWith('Time')) return { name, block: BigInt(value) };
  return { name, time: BigInt(value) === genesisTime ? 0n : BigInt(value) };
}

/** Adds the merge: genesis files name it in several ways, or omit it when it precedes the first fork by time. */
function withMerge(listed: readonly ScheduledFork[], config: Config, isByDifficulty: boolean): ScheduledFork[] {
  const others = listed.filter(({ name }) => name !== 'paris' && name !== 'mergeNetsplitBlock');
  const blockOf = (name: ForkName) => listed.find((fork) => fork.name === name)?.block;
  const isBeforeTimes = others.some(({ time }) => time !== undefined);
  const isPassed = config.terminalTotalDifficultyPassed === true;
  const named = isByDifficulty ? mergeBlockUnknown : blockOf('paris');
  const netsplit = blockOf('mergeNetsplitBlock') ?? named ?? (isBeforeTimes || isPassed ? 0n : undefined);
  const paris = named ?? (isBeforeTimes ? netsplit : isPassed ? 0n : undefined);
  const forks: ScheduledFork[] = [
    ...(paris === undefined ? [] : [{ name: 'paris', block: paris } as const]),
    ...(netsplit === undefined ? [] : [{ name: 'mergeNetsplitBlock', block: netsplit } as const]),
  ];
  const byBlock = [...others.filter(({ block }) => block !== undefined), ...forks].sort((one, other) =>
    Number((one.block ?? 0n) - (other.block ?? 0n)),
  );
  return [...byBlock, ...others.filter(({ time }) => time !== undefined)];
}

function namedBlobSchedules(schedules: unknown): Partial<Record<ForkName, BlobSchedule>> {
  const entries = Object.entries((schedules ?? {}) as Readonly<Record<string, Readonly<Record<string, number>>>>);
  return Object.fromEntries(
    entries.map(([fork, { target = 0, max = 0, baseFeeUpdateFraction = 0 }]) => [
      fork,
      { target: BigInt(target), max: BigInt(max), feeUpdateFraction: BigInt(baseFeeUpdateFraction) },
    ]),
  );
}

/**
 * Returns the last fork before the first one that is not active at a place. A number and a time that never occurred together
 * are valid: block overrides create them.
 */
export function forkAt({ forks }: ForkSchedule, place: ChainPlace): ForkName {
  let active: ForkName = 'chainstart';
  for (const fork of forks) {
    if (place.isMerged === true && bombDelays.has(fork.name)) continue;
    if (!isActive(fork, forks, place)) break;
    active = fork.name;
  }
  return active;
}

const merges: ReadonlySet<ForkName> = new Set<ForkName>(['paris', 'mergeNetsplitBlock']);
/** Forks between London and the merge that only delay the difficulty bomb: a block after the merge does not need them. */
const bombDelays: ReadonlySet<ForkName> = new Set<ForkName>(['arrowGlacier', 'grayGlacier']);

function isActive({ name, block = 0n, time }: ScheduledFork, forks: readonly ScheduledFork[], place: ChainPlace) {
  if (time !== undefined) return time <= place.timestamp;
  if (place.isMerged !== undefined && merges.has(name)) return place.isMerged;
  if (block === mergeBlockUnknown) return isMerged(forks, place);
  return block <= place.number;
}

/** Reports whether a block follows the merge: by its difficulty or, if that is unknown, by an active fork by time. */
function isMerged(forks: readonly ScheduledFork[], { difficulty, timestamp }: ChainPlace): boolean {
  if (difficulty !== undefined) return difficulty === 0n;
  return forks.some(({ time }) => time !== undefined && time <= timestamp);
}

/**
 * Reports whether a chain expects proof-of-stake blocks at a place: by the number of the merge, or by the time of a later
 * fork (geth's `IsPostMerge`).
 */
export function isPostMerge({ forks }: ForkSchedule, { number, timestamp }: ChainPlace): boolean {
  return forks.some(({ name, block, time }) =>
    time === undefined ? merges.has(name) && block !== undefined && block <= number : time <= timestamp,
  );
}

/** Returns a fork and those before it in the schedule. */
export function forksIncluded({ forks }: ForkSchedule, last: ForkName): ReadonlySet<ForkName> {
  return new Set(forks.slice(0, forks.findIndex(({ name }) => name === last) + 1).map(({ name }) => name));
}
