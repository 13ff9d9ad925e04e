import type { ChainSpec } from '../chain-spec.ts';

interface OpChain {
  readonly name: string;
  /** Block of the Bedrock upgrade; 0 for chains that started with it. */
  readonly bedrock: number;
  readonly elasticity: number;
  /** Times in seconds since 1970. */
  readonly canyon: number;
  readonly ecotone: number;
  readonly fjord: number;
  readonly granite: number;
  readonly holocene: number;
  readonly isthmus: number;
  readonly jovian: number;
}

const mainnetForks = {
  canyon: 1_704_992_401,
  ecotone: 1_710_374_401,
  fjord: 1_720_627_201,
  granite: 1_726_070_401,
  holocene: 1_736_445_601,
  isthmus: 1_746_806_401,
  jovian: 1_764_691_201,
} as const;

const sepoliaForks = {
  canyon: 1_699_981_200,
  ecotone: 1_708_534_800,
  fjord: 1_716_998_400,
  granite: 1_723_478_400,
  holocene: 1_732_633_200,
  isthmus: 1_744_905_600,
  jovian: 1_763_568_001,
} as const;

/** OP-stack chains by chain id. Sources: ethereum-optimism/superchain-registry, and alloy-op-hardforks for Isthmus and Jovian. */
const opChains: Readonly<Record<string, OpChain>> = {
  10: { name: 'op-mainnet', bedrock: 105_235_063, elasticity: 6, ...mainnetForks },
  8453: { name: 'base', bedrock: 0, elasticity: 6, ...mainnetForks },
  11155420: { name: 'op-sepolia', bedrock: 0, elasticity: 6, ...sepoliaForks },
  84532: { name: 'base-sepolia', bedrock: 0, elasticity: 10, ...sepoliaForks },
};

/** Rules of a known OP-stack chain, in the form of its genesis file; `undefined` for other chains. */
export function opChainSpec(name: string, chainId: bigint): ChainSpec | undefined {
  const chain = opChains[`${chainId}`];
  if (chain === undefined) return undefined;
  const { bedrock, elasticity, canyon, ecotone, fjord, granite, holocene, isthmus, jovian } = chain;
  const config = {
    chainId: Number(chainId),
    homesteadBlock: 0,
    eip150Block: 0,
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    istanbulBlock: 0,
    muirGlacierBlock: 0,
    // OP mainnet had Berlin before Bedrock (op-geth, params/superchain.go).
    berlinBlock: bedrock === 0 ? 0 : 3_950_000,
    londonBlock: bedrock,
    arrowGlacierBlock: bedrock,
    grayGlacierBlock: bedrock,
    mergeNetsplitBlock: bedrock,
    bedrockBlock: bedrock,
    regolithTime: 0,
    canyonTime: canyon,
    ecotoneTime: ecotone,
    fjordTime: fjord,
    graniteTime: granite,
    holoceneTime: holocene,
    isthmusTime: isthmus,
    jovianTime: jovian,
    shanghaiTime: canyon,
    cancunTime: ecotone,
    pragueTime: isthmus,
    terminalTotalDifficulty: 0,
    terminalTotalDifficultyPassed: true,
    optimism: { eip1559Elasticity: elasticity, eip1559Denominator: 50, eip1559DenominatorCanyon: 250 },
  };
  return {
    name,
    chainId: `${chainId}`,
    genesis: { config, difficulty: '0x0', gasLimit: '0x1c9c380', nonce: '0x0', timestamp: '0x0' },
  };
}
