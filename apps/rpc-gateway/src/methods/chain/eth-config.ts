import { type ChainSpec, type Hex, quantity } from '@cairn/block-model';
import { forkRules } from '@cairn/evm-executor';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { forkIdHash, type TimedFork, timedForks } from './fork-id.ts';

/** Names of precompiles by number (EIP-7910). */
const precompileNames: Readonly<Record<number, string>> = {
  1: 'ECREC',
  2: 'SHA256',
  3: 'RIPEMD160',
  4: 'ID',
  5: 'MODEXP',
  6: 'BN254_ADD',
  7: 'BN254_MUL',
  8: 'BN254_PAIRING',
  9: 'BLAKE2F',
  10: 'KZG_POINT_EVALUATION',
  11: 'BLS12_G1ADD',
  12: 'BLS12_G1MSM',
  13: 'BLS12_G2ADD',
  14: 'BLS12_G2MSM',
  15: 'BLS12_PAIRING_CHECK',
  16: 'BLS12_MAP_FP_TO_G1',
  17: 'BLS12_MAP_FP2_TO_G2',
  256: 'P256VERIFY',
};

const beaconRoots = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02';
const historyStorage = '0x0000f90827f1c53a10cb7a02335b175320002935';
const withdrawalRequests = '0x00000961ef480eb55e80d19ad83579a64c007002';
const consolidationRequests = '0x0000bbddc7ce488642fb579f8b00f3a590007251';
const deposits: Readonly<Record<string, string>> = {
  mainnet: '0x00000000219ab540356cbb839cbe05303d7705fa',
  sepolia: '0x7f02c3e3c98b133055b8b348b2ac625669ed295d',
  hoodi: '0x00000000219ab540356cbb839cbe05303d7705fa',
};
const noAddress = '0x0000000000000000000000000000000000000000';

export const ethConfig = define({
  name: 'eth_config',
  summary: 'Returns the active fork, the next fork and the last fork of the schedule (EIP-7910).',
  params: [],
  result: 'An object with current, next and last.',
  reveals: 'nothing',
  handle(_, context) {
    const { spec } = context.chain.reader;
    const head = context.chain.reader.header(context.chain.reader.head.hash);
    if (!spec || !head) return null;
    const forks = timedForks(spec);
    const isActive = ({ time }: TimedFork) => time <= head.timestamp;
    const current = forks.filter(isActive).at(-1);
    const coming = forks.filter((fork) => !isActive(fork));
    const config = (fork: TimedFork | undefined) => (fork ? configOf(spec, fork, context, head.number) : null);
    return { current: config(current), next: config(coming[0]), last: config(coming.at(-1)) };
  },
});

function configOf(spec: ChainSpec, fork: TimedFork, { chain: { reader } }: RequestContext, number: bigint) {
  const rules = forkRules(spec, { number, timestamp: fork.time });
  return {
    activationTime: Number(fork.time),
    blobSchedule: rules.isCancun
      ? {
          target: Number(rules.blobsTarget),
          max: Number(rules.blobsMax),
          baseFeeUpdateFraction: Number(rules.blobFeeUpdateFraction),
        }
      : null,
    chainId: quantity(rules.chainId),
    forkId: forkIdHash(spec, reader.genesisHash, fork),
    precompiles: precompilesOf(rules.precompiles),
    systemContracts: {
      ...(rules.isCancun && { BEACON_ROOTS_ADDRESS: beaconRoots }),
      ...(rules.isPrague && {
        CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: consolidationRequests,
        DEPOSIT_CONTRACT_ADDRESS: depositContract(spec),
        HISTORY_STORAGE_ADDRESS: historyStorage,
        WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: withdrawalRequests,
      }),
    },
  };
}

function precompilesOf(addresses: readonly Hex[]): Readonly<Record<string, Hex>> {
  const named = addresses.map((address) => [precompileNames[Number(BigInt(address))] ?? address, address] as const);
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function depositContract(spec: ChainSpec): string {
  if ('known' in spec) return deposits[spec.known] ?? noAddress;
  const { depositContractAddress } = spec.genesis.config;
  return typeof depositContractAddress === 'string' ? depositContractAddress.toLowerCase() : noAddress;
}
