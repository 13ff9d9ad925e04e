import { keccak256 } from '@cairn/cid';
import { Common, createCommonFromGethGenesis, Hoodi, Mainnet, Sepolia } from '@ethereumjs/common';
import type { ChainSpec, KnownChain } from '../chain-spec.ts';
import { kzg } from './kzg.ts';

export interface CommonOptions {
  /** Take the fork that is active in this block; without it, the last one of the schedule. */
  readonly at?: { readonly number: bigint; readonly timestamp: bigint };
}

const knownConfigs = { mainnet: Mainnet, sepolia: Sepolia, hoodi: Hoodi } as const satisfies Record<
  KnownChain,
  unknown
>;

/** The fork schedule in the form that the `@ethereumjs` packages take, with KZG for blob transactions. */
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

type CommonParameters = ConstructorParameters<typeof Common>[0];

function fromGenesis(
  spec: Extract<ChainSpec, { genesis: unknown }>,
  customCrypto: CommonParameters['customCrypto'],
): Common {
  const { genesis, name } = spec;
  type GethGenesis = Parameters<typeof createCommonFromGethGenesis>[0];
  return createCommonFromGethGenesis({ ...genesis, alloc: {} } as unknown as GethGenesis, {
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

/** Forks that only change blob counts lose them on the way through createCommonFromGethGenesis; these put them back. */
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
