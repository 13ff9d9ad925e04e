import { type ChainSpec, type Hex, knownChainSpec } from '@cairn/block-model';
import { commonFromChainSpec } from '@cairn/evm-ethereumjs';
import { describe, expect, test } from '@jest/globals';
import { forkIdHash, timedForks } from './fork-id.ts';

/** Genesis hashes: @ethereumjs/common names the fork hashes of known chains. */
const genesisHashes: Readonly<Record<string, Hex>> = {
  mainnet: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  sepolia: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
  hoodi: '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
};
const own = (config: Record<string, unknown>, timestamp = '0x0'): ChainSpec => ({
  name: 'own',
  chainId: '7',
  genesis: {
    config: { chainId: 7, ...config },
    timestamp,
    difficulty: '0x0',
    gasLimit: '0x1',
    nonce: '0x0',
    extraData: '0x',
  },
});
const toLondon = Object.fromEntries(
  ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul', 'berlin'].map(
    (name) => [`${name}Block`, 0],
  ),
);
const specs: Readonly<Record<string, ChainSpec>> = {
  mainnet: knownChainSpec('mainnet', 'mainnet'),
  sepolia: knownChainSpec('sepolia', 'sepolia'),
  hoodi: knownChainSpec('hoodi', 'hoodi'),
  'a genesis file with forks by block and time': own({
    ...toLondon,
    londonBlock: 5,
    mergeNetsplitBlock: 9,
    terminalTotalDifficulty: 0,
    shanghaiTime: 10,
    cancunTime: 20,
    pragueTime: 20,
    osakaTime: 30,
  }),
  'a genesis file with forks at its time': own(
    { ...toLondon, londonBlock: 0, terminalTotalDifficulty: 0, shanghaiTime: 100, cancunTime: 100, pragueTime: 200 },
    '0x64',
  ),
};

describe.each(Object.entries(specs))('the schedule of %s', (_, spec) => {
  const common = commonFromChainSpec(spec);

  test('has the timed forks of @ethereumjs/common', () => {
    const times = common
      .hardforks()
      .flatMap(({ name, timestamp }) => (timestamp === undefined ? [] : [{ name, timestamp }]));
    const last = new Map(times.map(({ name, timestamp }) => [BigInt(timestamp), name]));
    expect(new Map(timedForks(spec).map(({ name, time }) => [time, name]))).toEqual(last);
  });

  test('has its fork hashes', () => {
    const genesisHash = genesisHashes[spec.name] ?? `0x${'12'.repeat(32)}`;
    const genesis = Buffer.from(genesisHash.slice(2), 'hex');
    const found = timedForks(spec).map((fork) => [fork.name, forkIdHash(spec, genesisHash, fork)]);
    expect(found).toEqual(timedForks(spec).map(({ name }) => [name, common.forkHash(name, genesis)]));
  });
});
