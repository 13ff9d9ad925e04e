import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Abi, Address, Hex } from 'viem';
import { repository } from './gateway.ts';

interface SampleNetwork {
  readonly chainId: number;
  readonly head: Hex;
  readonly accounts: Readonly<Record<'deployer' | 'alice' | 'bob', Address>>;
  readonly contracts: Readonly<Record<'Token' | 'Reverts' | 'Loops', { readonly address: Address; readonly abi: Abi }>>;
}

const directory = join(repository, 'tools', 'sample-network', 'network');

/** Accounts, contracts and blocks of the sample network. */
export const sample: SampleNetwork = JSON.parse(readFileSync(join(directory, 'contracts.json'), 'utf8'));

/** The sample network as an entry of a networks file. */
export const sampleEntry = {
  name: 'sample',
  genesis: join(directory, 'genesis.json'),
  blocks: [join(directory, 'chain.rlp')],
};
