import { readFile } from 'node:fs/promises';
import {
  type AccountChange,
  bytesFromHex,
  type ChainSpec,
  type GenesisAccount,
  type Header,
  type Hex,
  type KnownChain,
  keccak256,
  knownChainSpec,
  knownChains,
  parseGethGenesis,
} from '@cairn/block-model';
import { GenesisError } from './errors.ts';
import { genesisHeader } from './genesis-header.ts';
import type { ImportState } from './import-state.ts';

type HexPair = readonly [slot: string, value: string];

/** Accounts by address: the balance, or balance, code, storage and nonce (format of @ethereumjs/genesis). */
type GenesisState = Readonly<
  Record<string, string | readonly [balance: string, code?: string, storage?: readonly HexPair[], nonce?: string]>
>;

/** Rules and genesis state of a chain. */
export interface Genesis {
  readonly spec: ChainSpec;
  /** Genesis accounts. A store identifies its genesis by the hash of its JSON. */
  readonly state: GenesisState;
}

const knownHashes: Readonly<Record<KnownChain, Hex>> = {
  mainnet: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  sepolia: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
  hoodi: '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
};

/** Hash of the genesis block of a known network. */
export function knownGenesisHash(known: KnownChain): Hex {
  return knownHashes[known];
}

/**
 * Loads the genesis of a known network, or from a file in geth's format.
 * @throws GENESIS_INVALID, VALUE_INVALID
 */
export async function loadGenesis(name: string, source: string): Promise<Genesis> {
  const known = knownChains.find((chain) => chain === source);
  if (known !== undefined) {
    const spec = knownChainSpec(name, known);
    // Loaded on demand, since the state has thousands of accounts.
    const { getGenesis } = await import('@ethereumjs/genesis');
    const state = getGenesis(Number(spec.chainId));
    if (state === undefined) throw new GenesisError(`the state of ${known} is not part of this version`);
    return { spec, state: state as GenesisState };
  }
  let json: unknown;
  try {
    json = JSON.parse(await readFile(source, 'utf8'));
  } catch (error) {
    throw new GenesisError(`${source} cannot be read as JSON (${error instanceof Error ? error.message : 'unknown'})`);
  }
  const { spec, alloc } = parseGethGenesis(name, json);
  return { spec, state: stateOfAlloc(alloc) };
}

function stateOfAlloc(alloc: Readonly<Record<string, GenesisAccount>>): GenesisState {
  return Object.fromEntries(
    Object.entries(alloc).map(([address, { balance, code, storage, nonce }]) => [
      withPrefix(address.toLowerCase()),
      [
        balance.startsWith('0x') ? balance : `0x${BigInt(balance).toString(16)}`,
        code,
        storage && Object.entries(storage).map(([slot, value]): HexPair => [withPrefix(slot), withPrefix(value)]),
        nonce && withPrefix(nonce),
      ] as const,
    ]),
  ) as GenesisState;
}

/** Name of a genesis in the store: the Keccak-256 of its rules and accounts. */
export function genesisName({ spec, state }: Genesis): Uint8Array {
  return keccak256(Buffer.from(JSON.stringify([spec, state])));
}

/** Writes the genesis state and computes its header. @throws GENESIS_INVALID when the hash of a known network differs */
export async function buildGenesis({ spec, state }: Genesis, target: ImportState): Promise<Header> {
  const stateRoot = await target.after(Object.entries(state).map(genesisChange));
  const header = genesisHeader(spec, stateRoot);
  if ('known' in spec && header.hash !== knownHashes[spec.known]) {
    throw new GenesisError(`the block of ${spec.known} hashes to ${header.hash}, not ${knownHashes[spec.known]}`);
  }
  return header;
}

function genesisChange([address, entry]: [string, GenesisState[string]]): AccountChange {
  const [balance, code, storage = [], nonce] = typeof entry === 'string' ? [entry] : entry;
  const bytes = bytesFromHex(code ?? '0x');
  return {
    address: bytesFromHex(withPrefix(address)),
    account: { nonce: BigInt(nonce ?? 0), balance: BigInt(balance), codeHash: keccak256(bytes) },
    code: bytes,
    isStorageCleared: false,
    slots: storage.map(([slot, value]) => [
      bytesFromHex(`0x${digitsOf(slot).padStart(64, '0')}`),
      bytesFromHex(`0x${evenDigits(digitsOf(value).replace(/^0+/, ''))}`),
    ]),
  };
}

const withPrefix = (text: string) => (text.startsWith('0x') ? text : `0x${text}`);
const digitsOf = (text: string) => text.replace(/^0x/, '');
const evenDigits = (digits: string) => (digits.length % 2 === 0 ? digits : `0${digits}`);
