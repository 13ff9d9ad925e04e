// Environment of the loops of evm.mjs: contracts on a Cancun block with a high gas limit.
import { readFileSync } from 'node:fs';
import { headerFromJson, parseGethGenesis } from '@cairn/block-model';
import solc from 'solc';

/** Code and selectors of Workloads.sol. */
export function compileWorkloads() {
  const content = readFileSync(new URL('Workloads.sol', import.meta.url), 'utf8');
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'cancun',
    outputSelection: { '*': { '*': ['evm.deployedBytecode.object', 'evm.methodIdentifiers'] } },
  };
  const input = { language: 'Solidity', sources: { 'W.sol': { content } }, settings };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  const wrong = errors.filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const { evm } = contracts['W.sol'].Workloads;
  return { code: `0x${evm.deployedBytecode.object}`, selectors: evm.methodIdentifiers };
}

/** Chain and header of a block; the caller adds a state. */
export function makePlace() {
  const zeros = (bytes) => `0x${'00'.repeat(bytes)}`;
  const { spec } = parseGethGenesis('bench', {
    config: {
      ...{ chainId: 1337, homesteadBlock: 0, eip150Block: 0, eip155Block: 0, eip158Block: 0, byzantiumBlock: 0 },
      ...{ constantinopleBlock: 0, petersburgBlock: 0, istanbulBlock: 0, berlinBlock: 0, londonBlock: 0 },
      ...{ terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0 },
    },
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    alloc: {},
  });
  const header = headerFromJson({
    ...{
      parentHash: zeros(32),
      sha3Uncles: zeros(32),
      miner: zeros(20),
      stateRoot: zeros(32),
      transactionsRoot: zeros(32),
    },
    ...{
      receiptsRoot: zeros(32),
      logsBloom: zeros(256),
      difficulty: '0x0',
      number: '0x64',
      gasLimit: '0x5f5e100',
      gasUsed: '0x0',
    },
    ...{ timestamp: '0x3e8', extraData: '0x', mixHash: zeros(32), nonce: zeros(8), baseFeePerGas: '0x7' },
    ...{ withdrawalsRoot: zeros(32), blobGasUsed: '0x0', excessBlobGas: '0x0', parentBeaconBlockRoot: zeros(32) },
  });
  return { spec, header, blockHashes: () => undefined };
}
