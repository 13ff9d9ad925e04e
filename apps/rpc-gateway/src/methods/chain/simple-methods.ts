import { bytesFromHex, hexFromBytes, parseData, quantity } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import manifest from '../../../package.json' with { type: 'json' };
import { syncStatus } from '../../chains/sync-status.ts';
import { define } from '../define.ts';

const clientVersion = `Cairn/v${manifest.version}/${process.platform}-${process.arch}/node${process.versions.node}`;

export const web3Sha3 = define({
  name: 'web3_sha3',
  summary: 'The keccak-256 of bytes, which is not the standard SHA3-256.',
  params: [
    { name: 'data', summary: 'hexadecimal bytes.', parse: (field: string, value: unknown) => parseData(field, value) },
  ],
  result: '32 bytes.',
  reveals: 'nothing',
  handle: ([data]) => hexFromBytes(keccak256(bytesFromHex(data))),
});

export const ethChainId = define({
  name: 'eth_chainId',
  summary: 'The chain id (EIP-155).',
  params: [],
  result: 'A quantity.',
  reveals: 'nothing',
  handle: (_, { chain }) => quantity(chain.store.chainId),
});

export const netVersion = define({
  name: 'net_version',
  summary: 'The network id, which is the chain id here.',
  params: [],
  result: 'A decimal number as text.',
  reveals: 'nothing',
  handle: (_, { chain }) => chain.store.chainId.toString(),
});

export const netListening = define({
  name: 'net_listening',
  summary: 'Whether this gateway takes connections.',
  params: [],
  result: 'true.',
  reveals: 'nothing',
  handle: () => true,
});

export const web3ClientVersion = define({
  name: 'web3_clientVersion',
  summary: 'Name and version of this gateway.',
  params: [],
  result: 'Text.',
  reveals: 'nothing',
  handle: () => clientVersion,
});

export const ethBlockNumber = define({
  name: 'eth_blockNumber',
  summary: 'Height of the newest block.',
  params: [],
  result: 'A quantity.',
  reveals: 'nothing',
  handle: (_, { chain }) => quantity(chain.store.head.number),
});

export const ethSyncing = define({
  name: 'eth_syncing',
  summary: 'How far a network that follows a source is behind it; false where it is not, or follows none.',
  params: [],
  result: 'false, or an object with startingBlock, currentBlock and highestBlock.',
  reveals: 'nothing',
  handle: (_, { chain, registry }) => syncStatus(chain, registry.sourceHead(chain.network.name)),
});

export const ethAccounts = define({
  name: 'eth_accounts',
  summary: 'The accounts that this gateway signs for: none.',
  params: [],
  result: 'An empty list.',
  reveals: 'nothing',
  handle: () => [],
});
