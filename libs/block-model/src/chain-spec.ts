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
 * Rules of a chain: its id and its fork schedule. JSON-serializable, so that it can be stored with the chain and passed to
 * worker threads.
 */
export type ChainSpec =
  | { readonly name: string; readonly chainId: string; readonly known: KnownChain }
  | { readonly name: string; readonly chainId: string; readonly genesis: GenesisParameters };

/** An account of the genesis state in the format of geth. */
export interface GenesisAccount {
  readonly balance: string;
  readonly nonce?: string | undefined;
  readonly code?: string | undefined;
  readonly storage?: Readonly<Record<string, string>> | undefined;
}

const chainIds: Readonly<Record<KnownChain, string>> = { mainnet: '1', sepolia: '11155111', hoodi: '560048' };

/** Returns the spec of a known network. */
export function knownChainSpec(name: string, known: KnownChain): ChainSpec {
  return { name, chainId: chainIds[known], known };
}

/**
 * Returns the total difficulty at which a chain changes to proof of stake (EIP-3675); undefined for a chain that names a block
 * for the merge, starts after it, or has none.
 */
export function terminalTotalDifficulty(spec: ChainSpec): bigint | undefined {
  if ('known' in spec) return undefined;
  const { terminalTotalDifficulty: limit, mergeForkBlock, mergeNetsplitBlock } = spec.genesis.config;
  const isNumber = typeof limit === 'number' || typeof limit === 'string' || typeof limit === 'bigint';
  if (!isNumber || (mergeForkBlock ?? mergeNetsplitBlock ?? null) !== null) return undefined;
  const total = BigInt(limit);
  return total > 0n ? total : undefined;
}

/**
 * Splits a genesis file of geth into rules and accounts.
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
  checkSchedule(config);
  for (const field of ['difficulty', 'gasLimit', 'nonce', 'timestamp'] as const) {
    const value = parameters[field];
    if (typeof value !== 'string' || !/^(0x[0-9a-fA-F]*|\d+)$/.test(value)) {
      throw new InvalidValueError(`genesis.${field}`, 'a number as text such as "0x0"', value);
    }
  }
  const accounts = asObject('genesis.alloc', alloc);
  for (const [address, account] of Object.entries(accounts)) checkAccount(address, account);
  return {
    spec: { name, chainId: String(chainId), genesis: { ...parameters, config: { ...config, chainId } } },
    alloc: accounts as Readonly<Record<string, GenesisAccount>>,
  };
}

/** Checks the activation block or time of each fork, and its blob counts (EIP-7840). */
function checkSchedule(config: Readonly<Record<string, unknown>>): void {
  const hold = (field: string, value: unknown, expected: string) => {
    if (!Number.isSafeInteger(value) || Number(value) < 0) {
      throw new InvalidValueError(`genesis.config.${field}`, expected, value);
    }
  };
  for (const [field, value] of Object.entries(config)) {
    if (value === null) continue;
    if (field.endsWith('Block')) hold(field, value, 'a block number or null');
    if (field.endsWith('Time')) hold(field, value, 'seconds since 1970 or null');
  }
  const forks = config.blobSchedule === undefined ? {} : asObject('genesis.config.blobSchedule', config.blobSchedule);
  for (const [fork, counts] of Object.entries(forks)) {
    const schedule = asObject(`genesis.config.blobSchedule.${fork}`, counts);
    for (const field of ['target', 'max', 'baseFeeUpdateFraction']) {
      hold(`blobSchedule.${fork}.${field}`, schedule[field], 'a whole number');
    }
  }
}

/** Numbers in files of geth: hexadecimal, also with leading zeros, or decimal; 256 bits at most. */
const numberPattern = /^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/;
const bytesPattern = /^0x([0-9a-fA-F]{2})*$/;

function checkAccount(address: string, account: unknown): void {
  if (!/^(0x)?[0-9a-fA-F]{40}$/.test(address))
    throw new InvalidValueError('genesis.alloc', 'addresses of 20 bytes as keys', address);
  const field = `genesis.alloc.${address}`;
  const { balance, nonce, code, storage } = asObject(field, account);
  const hold = (name: string, value: unknown, pattern: RegExp, expected: string) => {
    if (typeof value !== 'string' || !pattern.test(value))
      throw new InvalidValueError(`${field}.${name}`, expected, value);
  };
  hold('balance', balance, numberPattern, 'a number as text');
  if (nonce !== undefined) hold('nonce', nonce, numberPattern, 'a number as text');
  if (code !== undefined) hold('code', code, bytesPattern, 'hexadecimal bytes such as "0x00ff"');
  for (const [slot, value] of Object.entries(storage === undefined ? {} : asObject(`${field}.storage`, storage))) {
    hold('storage', slot, /^(0x)?[0-9a-fA-F]{1,64}$/, 'slots of 32 bytes at most as keys');
    hold(`storage.${slot}`, value, /^(0x)?[0-9a-fA-F]{0,64}$/, 'hexadecimal bytes, 32 at most');
  }
}

function asObject(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new InvalidValueError(field, 'an object', value);
}
