import { InvalidValueError } from './errors.ts';

/** Networks whose genesis state and fork schedule ship with the libraries. */
export const knownChains = ['mainnet', 'sepolia', 'hoodi'] as const;
export type KnownChain = (typeof knownChains)[number];

/** A genesis file of geth without its accounts: fork schedule and the fields of the first header. JSON-serializable. */
export interface GenesisParameters {
  readonly config: Readonly<Record<string, unknown>> & { readonly chainId: number };
  readonly [field: string]: unknown;
}

/**
 * The rules of a chain: its id, and which fork is active when. JSON-serializable, so that it can be stored with the
 * chain and handed to worker threads.
 */
export type ChainSpec =
  | { readonly name: string; readonly chainId: string; readonly known: KnownChain }
  | { readonly name: string; readonly chainId: string; readonly genesis: GenesisParameters };

/** An account of the genesis state as geth's files have it. */
export interface GenesisAccount {
  readonly balance: string;
  readonly nonce?: string | undefined;
  readonly code?: string | undefined;
  readonly storage?: Readonly<Record<string, string>> | undefined;
}

const chainIds: Readonly<Record<KnownChain, string>> = { mainnet: '1', sepolia: '11155111', hoodi: '560048' };

/** The spec of a known network. */
export function knownChainSpec(name: string, known: KnownChain): ChainSpec {
  return { name, chainId: chainIds[known], known };
}

/**
 * Splits a genesis file of geth into the rules and the accounts.
 * @throws VALUE_INVALID naming the field
 */
export function parseGethGenesis(
  name: string,
  json: unknown,
): { readonly spec: ChainSpec; readonly alloc: Readonly<Record<string, GenesisAccount>> } {
  const { alloc, ...parameters } = asObject('genesis', json);
  const config = asObject('genesis.config', parameters.config);
  const { chainId } = config;
  if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || chainId < 1) {
    throw new InvalidValueError('genesis.config.chainId', 'a positive number', chainId);
  }
  for (const field of ['difficulty', 'gasLimit', 'nonce', 'timestamp'] as const) {
    const value = parameters[field];
    if (typeof value !== 'string' || !/^(0x[0-9a-fA-F]*|\d+)$/.test(value)) {
      throw new InvalidValueError(`genesis.${field}`, 'a number as text such as "0x0"', value);
    }
  }
  const accounts = asObject('genesis.alloc', alloc);
  for (const [address, account] of Object.entries(accounts)) {
    if (!/^(0x)?[0-9a-fA-F]{40}$/.test(address))
      throw new InvalidValueError('genesis.alloc', 'addresses of 20 bytes as keys', address);
    const { balance } = asObject(`genesis.alloc.${address}`, account);
    if (typeof balance !== 'string')
      throw new InvalidValueError(`genesis.alloc.${address}.balance`, 'a number as text', balance);
  }
  return {
    spec: { name, chainId: String(chainId), genesis: { ...parameters, config: { ...config, chainId } } },
    alloc: accounts as Readonly<Record<string, GenesisAccount>>,
  };
}

function asObject(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new InvalidValueError(field, 'an object', value);
}
