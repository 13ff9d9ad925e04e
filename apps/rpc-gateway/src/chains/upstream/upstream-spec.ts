import { readFile } from 'node:fs/promises';
import {
  type ChainSpec,
  type Hex,
  knownChainSpec,
  knownChains,
  opChainSpec,
  parseGethGenesis,
} from '@cairn/block-model';
import { knownGenesisHash, type UpstreamNetwork } from '@cairn/chain-store';
import { CairnError } from '@cairn/errors';

/** Forks by time that are active from genesis on where no schedule is known. */
const newestRules = {
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
  mergeNetsplitBlock: 0,
  terminalTotalDifficulty: 0,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 0,
  osakaTime: 0,
  /** Marks these rules as an assumption; see {@link hasAssumedForks}. */
  assumedForks: true,
} as const;

/** Reports whether the forks of a chain are unknown, so that the rules of the newest one are assumed. */
export function hasAssumedForks(spec: ChainSpec): boolean {
  return 'genesis' in spec && spec.genesis.config.assumedForks === true;
}

/** Rules of a network with upstreams, and the hash of its genesis block if that is known. */
export interface UpstreamSpec {
  readonly spec: ChainSpec;
  readonly genesisHash: Hex | undefined;
}

/**
 * Finds the rules of a network: those of its genesis, those of a known chain with its id, else the newest ones for all blocks.
 * @throws NETWORKS_INVALID if the genesis has another chain id, VALUE_INVALID if the genesis file is not valid
 */
export async function upstreamSpec({ name, genesis, chainId }: UpstreamNetwork): Promise<UpstreamSpec> {
  const known = knownChains.find(
    (chain) => chain === genesis || (genesis === undefined && knownChainSpec(name, chain).chainId === String(chainId)),
  );
  const spec =
    known !== undefined
      ? knownChainSpec(name, known)
      : genesis !== undefined
        ? parseGethGenesis(name, await readGenesis(name, genesis)).spec
        : (opChainSpec(name, BigInt(chainId ?? 0)) ?? newestSpec(name, chainId ?? 0));
  if (chainId !== undefined && spec.chainId !== String(chainId))
    throw new CairnError(
      'NETWORKS_INVALID',
      `The network ${name} has chainId ${chainId}, but its genesis ${spec.chainId}.`,
    );
  return { spec, genesisHash: known && knownGenesisHash(known) };
}

function newestSpec(name: string, chainId: number): ChainSpec {
  return {
    name,
    chainId: String(chainId),
    genesis: {
      config: { ...newestRules, chainId },
      difficulty: '0x0',
      gasLimit: '0x0',
      nonce: '0x0',
      timestamp: '0x0',
    },
  };
}

async function readGenesis(name: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new CairnError('NETWORKS_INVALID', `The genesis of the network ${name} cannot be read as JSON (${reason}).`);
  }
}
