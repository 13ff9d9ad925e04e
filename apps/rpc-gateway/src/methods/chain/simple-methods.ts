import { bytesFromHex, hexFromBytes, parseData, quantity } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import manifest from '../../../package.json' with { type: 'json' };
import { paramSchemas } from '../../param-schemas.ts';
import { define } from '../define.ts';

const clientVersion = `Cairn/v${manifest.version}/${process.platform}-${process.arch}/node${process.versions.node}`;

export const web3Sha3 = define({
  name: 'web3_sha3',
  summary: 'Computes the keccak-256 of bytes, which differs from the standard SHA3-256.',
  params: [
    {
      name: 'data',
      summary: 'hexadecimal bytes.',
      schema: paramSchemas.bytes,
      parse: (field: string, value: unknown) => parseData(field, value),
    },
  ],
  result: '32 bytes.',
  reveals: 'nothing',
  handle: ([data]) => hexFromBytes(keccak256(bytesFromHex(data))),
});

export const ethChainId = define({
  name: 'eth_chainId',
  summary: 'Returns the chain id (EIP-155).',
  params: [],
  result: 'A quantity.',
  reveals: 'nothing',
  handle: (_, { chain }) => quantity(chain.reader.chainId),
});

export const netVersion = define({
  name: 'net_version',
  summary: 'Returns the network id, which equals the chain id here.',
  params: [],
  result: 'A decimal number as a string.',
  reveals: 'nothing',
  handle: (_, { chain }) => chain.reader.chainId.toString(),
});

export const netListening = define({
  name: 'net_listening',
  summary: 'Reports whether this gateway accepts connections.',
  params: [],
  result: 'true.',
  reveals: 'nothing',
  handle: () => true,
});

export const web3ClientVersion = define({
  name: 'web3_clientVersion',
  summary: 'Returns the name and version of this gateway.',
  params: [],
  result: 'A string.',
  reveals: 'nothing',
  handle: () => clientVersion,
});

export const ethBlockNumber = define({
  name: 'eth_blockNumber',
  summary: 'Returns the number of the newest block.',
  params: [],
  result: 'A quantity.',
  reveals: 'nothing',
  handle: (_, { chain }) => quantity(chain.reader.head.number),
});

export const ethSyncing = define({
  name: 'eth_syncing',
  summary:
    'Reports how far the network is behind the source that it follows; false if it is not behind or has no source.',
  params: [],
  result: 'false, or an object with startingBlock, currentBlock and highestBlock.',
  reveals: 'nothing',
  handle: (_, { chain }) => chain.syncStatus(),
});

export const ethAccounts = define({
  name: 'eth_accounts',
  summary: 'Lists the accounts that this gateway signs for: none.',
  params: [],
  result: 'An empty list.',
  reveals: 'nothing',
  handle: () => [],
});
