import type { ChainSpec } from '../chain-spec.ts';

/** Forks of the OP stack, each with the field of a genesis file of op-geth that activates it. */
export const opForkFields = {
  regolith: 'regolithTime',
  canyon: 'canyonTime',
  ecotone: 'ecotoneTime',
  fjord: 'fjordTime',
  granite: 'graniteTime',
  holocene: 'holoceneTime',
  isthmus: 'isthmusTime',
  jovian: 'jovianTime',
} as const;

export type OpFork = keyof typeof opForkFields;

type Config = Readonly<Record<string, unknown>>;

/** Forks of the OP stack that activate a fork of Ethereum. Jovian and later ones change no opcodes. */
export const ethereumForkFields = {
  shanghaiTime: 'canyonTime',
  cancunTime: 'ecotoneTime',
  pragueTime: 'isthmusTime',
} as const;

/** EIP-1559 parameters of an OP-stack chain, as its genesis file names them; `undefined` for other chains. */
export function optimismConfig(config: Config): Config | undefined {
  const { optimism } = config;
  return typeof optimism === 'object' && optimism !== null ? (optimism as Config) : undefined;
}

/** Reports whether a chain is an OP-stack chain with this fork active at a time (seconds since 1970). */
export function isOpForkActive(spec: ChainSpec, fork: OpFork, timestamp: bigint): boolean {
  if ('known' in spec || optimismConfig(spec.genesis.config) === undefined) return false;
  const time = spec.genesis.config[opForkFields[fork]];
  return typeof time === 'number' && BigInt(time) <= timestamp;
}
