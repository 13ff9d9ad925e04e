import { readFile } from 'node:fs/promises';
import {
  type ChainSpec,
  type Header,
  type Hex,
  headerFromRlp,
  type KnownChain,
  knownChainSpec,
  knownChains,
  parseGethGenesis,
  type RlpItem,
} from '@cairn/block-model';
import { commonFromChainSpec } from '@cairn/block-model/ethereumjs';
import { emptyTrieRoot } from '@cairn/trie';
import { createBlock } from '@ethereumjs/block';
import { type GenesisState, parseGethGenesisState } from '@ethereumjs/common';
import { Account, createAddressFromString, SHA256_NULL, setLengthLeft } from '@ethereumjs/util';
import { GenesisError } from './errors.ts';
import type { ImportState } from './import-state.ts';

/** Rules and first state of a chain. */
export interface Genesis {
  readonly spec: ChainSpec;
  readonly state: GenesisState;
}

const knownHashes: Readonly<Record<KnownChain, Hex>> = {
  mainnet: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  sepolia: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
  hoodi: '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
};

/**
 * The genesis of a known network, or of a file in geth's format.
 * @throws GENESIS_INVALID, VALUE_INVALID
 */
export async function loadGenesis(name: string, source: string): Promise<Genesis> {
  const known = knownChains.find((chain) => chain === source);
  if (known !== undefined) {
    const spec = knownChainSpec(name, known);
    // Thousands of accounts, which nobody else needs.
    const { getGenesis } = await import('@ethereumjs/genesis');
    const state = getGenesis(Number(spec.chainId));
    if (state === undefined) throw new GenesisError(`the state of ${known} is not part of this version`);
    return { spec, state };
  }
  let json: unknown;
  try {
    json = JSON.parse(await readFile(source, 'utf8'));
  } catch (error) {
    throw new GenesisError(`${source} cannot be read as JSON (${error instanceof Error ? error.message : 'unknown'})`);
  }
  const { spec } = parseGethGenesis(name, json);
  try {
    return { spec, state: parseGethGenesisState(json as Parameters<typeof parseGethGenesisState>[0]) };
  } catch (error) {
    throw new GenesisError(`its alloc is not valid (${error instanceof Error ? error.message : 'unknown'})`);
  }
}

/** Writes the first state and computes the first header. @throws GENESIS_INVALID when a known network's hash differs */
export async function buildGenesis({ spec, state }: Genesis, target: ImportState): Promise<Header> {
  for (const [key, entry] of Object.entries(state)) {
    const address = createAddressFromString(key);
    const [balance, code, storage, nonce] = typeof entry === 'string' ? [entry] : entry;
    await target.putAccount(address, new Account(BigInt(nonce ?? 0), BigInt(balance)));
    if (code !== undefined && code !== '0x') await target.putCode(address, Buffer.from(code.slice(2), 'hex'));
    for (const [slot, value] of storage ?? []) {
      await target.putStorage(
        address,
        setLengthLeft(Buffer.from(evenHex(slot), 'hex'), 32),
        Buffer.from(evenHex(value), 'hex'),
      );
    }
  }
  const stateRoot = await target.getStateRoot();
  const header = genesisHeader(spec, stateRoot);
  if ('known' in spec && header.hash !== knownHashes[spec.known]) {
    throw new GenesisError(`the block of ${spec.known} hashes to ${header.hash}, not ${knownHashes[spec.known]}`);
  }
  return header;
}

function genesisHeader(spec: ChainSpec, stateRoot: Uint8Array): Header {
  const common = commonFromChainSpec(spec);
  const fields = common.genesis();
  common.setHardforkBy({ blockNumber: 0n, timestamp: BigInt(fields.timestamp ?? 0) });
  const hasWithdrawals = common.isActivatedEIP(4895);
  const header = {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)),
    number: 0n,
    stateRoot,
    ...(hasWithdrawals && { withdrawalsRoot: emptyTrieRoot }),
    ...(common.isActivatedEIP(7685) && { requestsHash: SHA256_NULL }),
  };
  const block = createBlock(
    { header, ...(hasWithdrawals && { withdrawals: [] }) },
    { common, setHardfork: false, skipConsensusFormatValidation: true },
  );
  return headerFromRlp(block.header.raw() as RlpItem);
}

function evenHex(text: string): string {
  const digits = text.replace(/^0x/, '');
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}
