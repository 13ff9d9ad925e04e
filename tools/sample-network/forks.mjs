#!/usr/bin/env node
// node forks.mjs DIRECTORY: creates a network for each fork, active from its genesis, with transactions of every type
// of the fork. @ethereumjs/vm executes them; expected.json of each contains the results. Tests verify the gateway
// against them.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeRlp } from '@cairn/block-model';
import { prepareKzg } from '@cairn/block-model/kzg';
import { commonFromChainSpec } from '@cairn/evm-ethereumjs';
import { createBlock } from '@ethereumjs/block';
import { parseGethGenesisState } from '@ethereumjs/common';
import { createTx, createTxFromRLP } from '@ethereumjs/tx';
import {
  bytesToHex,
  createAddressFromPrivateKey,
  createContractAddress,
  eoaCode7702SignAuthorization,
} from '@ethereumjs/util';
import { buildBlock, createVM } from '@ethereumjs/vm';
import systemContracts from './system-contracts.json' with { type: 'json' };

const chainId = 1_337;
const genesisTime = 1_700_000_000;
const sha256 = (text) => new Uint8Array(createHash('sha256').update(text).digest());
const hex = (value) => `0x${value.toString(16)}`;
const word = (value) => BigInt(value).toString(16).padStart(64, '0');

/** Forks in order, each with its additions to a genesis. */
const forks = [
  ['frontier', {}],
  ['homestead', { homesteadBlock: 0 }],
  ['tangerine-whistle', { eip150Block: 0 }],
  ['spurious-dragon', { eip155Block: 0, eip158Block: 0 }],
  ['byzantium', { byzantiumBlock: 0 }],
  ['petersburg', { constantinopleBlock: 0, petersburgBlock: 0 }],
  ['istanbul', { istanbulBlock: 0, muirGlacierBlock: 0 }],
  ['berlin', { berlinBlock: 0 }],
  ['london', { londonBlock: 0, arrowGlacierBlock: 0, grayGlacierBlock: 0 }],
  ['paris', { mergeNetsplitBlock: 0, terminalTotalDifficulty: 0, terminalTotalDifficultyPassed: true }],
  ['shanghai', { shanghaiTime: genesisTime }],
  ['cancun', { cancunTime: genesisTime }],
  ['prague', { pragueTime: genesisTime }],
  ['osaka', { osakaTime: genesisTime }],
  ['bpo1', { bpo1Time: genesisTime }],
  ['bpo2', { bpo2Time: genesisTime }],
];
const blobs = (target, max, baseFeeUpdateFraction) => ({ target, max, baseFeeUpdateFraction });
const blobSchedule = {
  cancun: blobs(3, 6, 3_338_477),
  prague: blobs(6, 9, 5_007_716),
  osaka: blobs(6, 9, 5_007_716),
  bpo1: blobs(10, 15, 8_346_193),
  bpo2: blobs(14, 21, 11_684_671),
};

/** SSTORE(calldata[0], calldata[1]), a log of calldata[1], and returns it. */
const store = '602035600035556020356000526007602060' + '00a160206000f3';
/**
 * Calls `to` with its own calldata and 60,000 gas, checks the result, creates an empty account, and returns the return
 * data.
 */
const forward = (to) =>
  `3660006000376020600036600060007${'3'}${to}61ea60f150` +
  `73${to}3150` +
  `73${to}3b50` +
  `600060006000f050` +
  '60206000f3';
/** Sends its balance to `heir` and destructs itself. */
const leave = (heir) => `73${heir}ff`;
/** Init code that deploys runtime code of up to 255 bytes. */
const deploying = (runtime) => {
  const length = (runtime.length / 2).toString(16).padStart(2, '0');
  return `0x60${length}600c60003960${length}6000f3${runtime}`;
};

function makeGenesis(index, accounts) {
  const config = Object.assign({ chainId, blobSchedule }, ...forks.slice(0, index + 1).map(([, fields]) => fields));
  const isMerged = index >= 9;
  return {
    config: { ...config, ...(isMerged ? { depositContractAddress: `0x${'00'.repeat(20)}` } : { ethash: {} }) },
    nonce: '0x0',
    timestamp: hex(genesisTime),
    extraData: '0x',
    gasLimit: '0x1c9c380',
    difficulty: isMerged ? '0x0' : '0x20000',
    mixHash: `0x${'00'.repeat(32)}`,
    coinbase: `0x${'00'.repeat(20)}`,
    ...(index >= 8 && { baseFeePerGas: '0x3b9aca00' }),
    alloc: {
      ...Object.fromEntries(accounts.map(({ address }) => [address.toString(), { balance: '0x3635c9adc5dea00000' }])),
      // Contract that keeps its received value.
      [`0x${'0b'.repeat(20)}`]: { balance: '0x0', code: '0x00' },
      ...(index >= 11 &&
        Object.fromEntries(
          Object.entries(systemContracts).map(([address, { code }]) => [
            address,
            { balance: '0x0', nonce: '0x1', code },
          ]),
        )),
    },
  };
}

/** Transactions by block: every type of the fork, and some that fail. */
function makePlan(index, [alice, bob]) {
  const [storage, forwarder, leaver] = [0n, 1n, 2n].map((nonce) =>
    createContractAddress(alice.address, nonce).toString(),
  );
  const legacy = (from, fields) => ({ from, type: 0, gasPrice: 2_000_000_000n, gasLimit: 300_000n, ...fields });
  const data = (slot, value) => `0x${word(slot)}${word(value)}`;
  const heir = '0b'.repeat(20);
  const accessList = [{ address: storage, storageKeys: [`0x${word(1)}`] }];
  const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000n, gasLimit: 300_000n };
  const blob = bytesToHex(Uint8Array.from([1, ...sha256('blob').subarray(1)]));
  const plan = [
    [
      legacy(alice, { data: deploying(store) }),
      legacy(alice, { data: deploying(forward(storage.slice(2))) }),
      legacy(alice, { data: deploying(leave(heir)), value: 5n }),
    ],
    [
      legacy(bob, { to: storage, data: data(1, 7), isUnprotected: true }),
      legacy(bob, { to: forwarder, data: data(2, 8) }),
      legacy(alice, { to: bob.address, value: 10n ** 18n, gasLimit: 21_000n }),
    ],
    [
      legacy(bob, { to: storage, data: data(1, 0) }), // gives a slot back
      legacy(bob, { to: storage, data: data(3, 9), gasLimit: 30_000n }), // runs out of gas
      legacy(alice, { to: leaver }),
      legacy(alice, { to: `0x${heir}`, value: 1n }),
    ],
  ];
  const typed = [];
  if (index >= 7)
    typed.push({
      from: alice,
      type: 1,
      gasPrice: 2_000_000_000n,
      gasLimit: 300_000n,
      to: storage,
      data: data(1, 5),
      accessList,
    });
  if (index >= 8) typed.push({ from: bob, type: 2, ...fees, to: forwarder, data: data(4, 6), accessList });
  if (index >= 11)
    typed.push({
      from: alice,
      type: 3,
      ...fees,
      to: storage,
      data: data(5, 5),
      maxFeePerBlobGas: 10n,
      blobVersionedHashes: [blob, blob],
    });
  if (index >= 12)
    typed.push({
      from: alice,
      type: 4,
      ...fees,
      to: bob.address,
      data: data(6, 1),
      delegations: [{ by: bob, to: storage }],
    });
  if (typed.length > 0) plan.push(typed);
  return { plan, addresses: { storage, forwarder, leaver } };
}

function sign({ from, delegations, isUnprotected, ...fields }, common) {
  const nonce = from.nonce++;
  const authorizationList = delegations?.map(({ by, to }) =>
    eoaCode7702SignAuthorization({ chainId: hex(chainId), address: to, nonce: hex(by.nonce++) }, by.key),
  );
  const typed = {
    nonce,
    ...(fields.type > 0 && { chainId }),
    ...fields,
    ...(authorizationList && { authorizationList }),
  };
  const signed = createTx(typed, { common: isUnprotected ? unprotected : common }).sign(from.key);
  return isUnprotected ? createTxFromRLP(signed.serialize(), { common }) : signed;
}

/** Rules before EIP-155: signatures contain no chain id. */
const unprotected = commonFromChainSpec({
  name: 'unprotected',
  chainId: String(chainId),
  genesis: {
    config: { chainId, homesteadBlock: 0 },
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
  },
});

async function makeFork(index) {
  await prepareKzg();
  const accounts = ['alice', 'bob'].map((name) => {
    const key = sha256(`cairn fork networks, ${name}: not for money`);
    return { key, address: createAddressFromPrivateKey(key), nonce: 0n };
  });
  const genesis = makeGenesis(index, accounts);
  const { alloc, ...parameters } = genesis;
  const common = commonFromChainSpec({ name: forks[index][0], chainId: String(chainId), genesis: parameters });
  const vm = await createVM({ common, setHardfork: true });
  await vm.stateManager.generateCanonicalGenesis(parseGethGenesisState(genesis));
  common.setHardforkBy({ blockNumber: 0n, timestamp: BigInt(genesisTime) });
  let parent = createBlock(
    { header: { ...common.genesis(), number: 0, stateRoot: await vm.stateManager.getStateRoot() } },
    { common: common.copy() },
  );
  const { plan, addresses } = makePlan(index, accounts);
  const chain = [];
  const blocks = [];
  for (const [at, transactions] of plan.entries()) {
    const { block, results } = await makeBlock(vm, parent, at + 1, transactions);
    parent = block;
    chain.push(encodeRlp(block.raw()));
    blocks.push({
      hash: bytesToHex(block.hash()),
      transactions: block.transactions.map((transaction, place) => ({
        hash: bytesToHex(transaction.hash()),
        type: transaction.type,
        gasUsed: results[place].totalGasSpent.toString(),
        logs: results[place].execResult.logs?.length ?? 0,
        hasFailed: results[place].execResult.exceptionError !== undefined,
      })),
    });
  }
  const [alice, bob] = accounts.map(({ address }) => address.toString());
  return {
    name: forks[index][0],
    genesis,
    chain: Buffer.concat(chain),
    expected: { alice, bob, ...addresses, blocks },
  };
}

async function makeBlock(vm, parentBlock, number, transactions) {
  const timestamp = BigInt(genesisTime + number * 12);
  vm.common.setHardforkBy({ blockNumber: BigInt(number), timestamp });
  const common = vm.common.copy();
  const { header: before } = parentBlock;
  const has = (eip) => common.isActivatedEIP(eip);
  const builder = await buildBlock(vm, {
    parentBlock,
    headerData: {
      number,
      timestamp,
      gasLimit: before.gasLimit,
      coinbase: `0x${'c0'.repeat(20)}`,
      ...(has(4399) && { mixHash: sha256(`randao ${number}`) }),
      ...(has(1559) && { baseFeePerGas: before.calcNextBaseFee() }),
      ...(has(4844) && {
        excessBlobGas: before.calcNextExcessBlobGas(common),
        parentBeaconBlockRoot: sha256(`root ${number}`),
      }),
    },
    ...(has(4895) && {
      withdrawals: [{ index: number, validatorIndex: 7, address: `0x${'dd'.repeat(20)}`, amount: 1_000_000n }],
    }),
    blockOpts: { common, putBlockIntoBlockchain: false, ...(!has(3675) && { calcDifficultyFromHeader: before }) },
  });
  const results = [];
  for (const transaction of transactions)
    results.push(await builder.addTransaction(sign(transaction, common), { allowNoBlobs: true }));
  const { block } = await builder.build();
  return { block, results };
}

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('Missing argument: the directory of the networks.');
for (const index of forks.keys()) {
  const { name, genesis, chain, expected } = await makeFork(index);
  mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, name, 'genesis.json'), JSON.stringify(genesis));
  writeFileSync(join(directory, name, 'chain.rlp'), chain);
  writeFileSync(join(directory, name, 'expected.json'), JSON.stringify(expected));
}
