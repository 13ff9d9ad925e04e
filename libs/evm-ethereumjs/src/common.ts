import { type ChainPlace, type ChainSpec, type KnownChain, terminalTotalDifficulty } from '@cairn/block-model';
import { kzg } from '@cairn/block-model/kzg';
import { keccak256 } from '@cairn/cid';
import { Common, createCommonFromGethGenesis, Hardfork, Hoodi, Mainnet, Sepolia } from '@ethereumjs/common';

export interface CommonOptions {
  /** Block whose active fork is selected. Default: the last fork of the schedule. */
  readonly at?: { readonly number: bigint; readonly timestamp: bigint };
}

const knownConfigs = { mainnet: Mainnet, sepolia: Sepolia, hoodi: Hoodi } as const satisfies Record<
  KnownChain,
  unknown
>;

/**
 * Converts a fork schedule for the `@ethereumjs` packages, with KZG for blob transactions after `prepareKzg`.
 */
export function commonFromChainSpec(spec: ChainSpec, { at }: CommonOptions = {}): Common {
  const customCrypto = {
    keccak256,
    get kzg() {
      return kzg();
    },
  };
  const common =
    'known' in spec ? new Common({ chain: knownConfigs[spec.known], customCrypto }) : fromGenesis(spec, customCrypto);
  if (at !== undefined) common.setHardforkBy({ blockNumber: at.number, timestamp: at.timestamp });
  else {
    const last = common
      .hardforks()
      .filter(({ block, timestamp }) => block !== null || timestamp !== undefined)
      .at(-1);
    if (last) common.setHardfork(last.name);
  }
  return common;
}

/**
 * Returns the last fork of the schedule before the first that is not active yet. The lookup of Common refuses a number and a
 * time that never occurred together; block overrides create such blocks.
 */
export function hardforkAt(common: Common, place: ChainPlace): string {
  const forks = common.hardforks();
  let active: string = Hardfork.Chainstart;
  for (const fork of forks) {
    if (fork.block === null && fork.timestamp === undefined) continue;
    if (place.isMerged === true && bombDelays.has(fork.name)) continue;
    if (!isActive(fork, forks, place)) break;
    active = fork.name;
  }
  return active;
}

type Forks = ReturnType<Common['hardforks']>;

const merges: ReadonlySet<string> = new Set([Hardfork.Paris, Hardfork.MergeNetsplitBlock]);
/** Forks between London and the merge that only delay the difficulty bomb: a merged block does not need them. */
const bombDelays: ReadonlySet<string> = new Set([Hardfork.ArrowGlacier, Hardfork.GrayGlacier]);

function isActive(fork: Forks[number], forks: Forks, place: ChainPlace): boolean {
  if (fork.timestamp !== undefined) return BigInt(fork.timestamp) <= place.timestamp;
  if (place.isMerged !== undefined && merges.has(fork.name)) return place.isMerged;
  if (fork.block === mergeBlockUnknown) return isMerged(forks, place.timestamp, place.difficulty);
  return BigInt(fork.block ?? 0) <= place.number;
}

/**
 * Reports whether a chain expects proof-of-stake blocks at a place: by the number of the merge, or by the time of a later fork
 * (geth's `IsPostMerge`).
 */
export function isPostMerge(common: Common, { number, timestamp }: ChainPlace): boolean {
  return common
    .hardforks()
    .some((fork) =>
      fork.timestamp === undefined
        ? merges.has(fork.name) && fork.block !== null && BigInt(fork.block) <= number
        : BigInt(fork.timestamp) <= timestamp,
    );
}

/** Reports whether a block follows the merge: by its difficulty or, if that is unknown, by an active fork by time. */
function isMerged(forks: Forks, at: bigint, difficulty: bigint | undefined): boolean {
  if (difficulty !== undefined) return difficulty === 0n;
  return forks.some(({ timestamp }) => timestamp !== undefined && BigInt(timestamp) <= at);
}

/** Block number for a merge that is decided by the total difficulty alone. */
const mergeBlockUnknown = Number.MAX_SAFE_INTEGER;

type CommonParameters = ConstructorParameters<typeof Common>[0];

function fromGenesis(
  spec: Extract<ChainSpec, { genesis: unknown }>,
  customCrypto: CommonParameters['customCrypto'],
): Common {
  const { genesis, name } = spec;
  const config = {
    ...genesis.config,
    ...(terminalTotalDifficulty(spec) !== undefined && { mergeForkBlock: mergeBlockUnknown }),
  };
  type GethGenesis = Parameters<typeof createCommonFromGethGenesis>[0];
  return createCommonFromGethGenesis({ ...genesis, config, alloc: {} } as unknown as GethGenesis, {
    chain: name,
    params: blobOnlyForks(genesis.config.blobSchedule),
    ...(customCrypto && { customCrypto }),
  });
}

interface BlobCounts {
  readonly target: number;
  readonly max: number;
  readonly baseFeeUpdateFraction: number;
}

/** createCommonFromGethGenesis drops the blob counts of blob-only forks; these parameters restore them. */
function blobOnlyForks(schedule: unknown): NonNullable<CommonParameters['params']> {
  const forks = Object.entries((schedule ?? {}) as Readonly<Record<string, BlobCounts>>).filter(([fork]) =>
    fork.startsWith('bpo'),
  );
  return Object.fromEntries(
    forks.map(([fork, { target, max, baseFeeUpdateFraction }]) => [
      fork,
      { target, max, blobGasPriceUpdateFraction: baseFeeUpdateFraction },
    ]),
  );
}
