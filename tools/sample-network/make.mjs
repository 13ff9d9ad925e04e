#!/usr/bin/env node
// Creates the sample network from the contracts beside this file: node make.mjs [DIRECTORY]. Keys, times and prices are
// fixed, so the same sources result in the same bytes; make.spec.mjs compares the committed files.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { encodeRlp } from '@cairn/block-model';
import { prepareKzg } from '@cairn/block-model/kzg';
import { commonFromChainSpec } from '@cairn/evm-ethereumjs';
import { createBlock } from '@ethereumjs/block';
import { parseGethGenesisState } from '@ethereumjs/common';
import { createTx } from '@ethereumjs/tx';
import {
  bytesToHex,
  createAddressFromPrivateKey,
  createContractAddress,
  eoaCode7702SignAuthorization,
} from '@ethereumjs/util';
import { buildBlock, createVM } from '@ethereumjs/vm';
import { compileContracts } from './compile.mjs';

const systemContracts = JSON.parse(readFileSync(new URL('./system-contracts.json', import.meta.url), 'utf8'));
const chainId = 48_484_848;
const genesisTime = 1_750_000_000;
const secondsPerBlock = 12;
const blockCount = 24;
/** Activation blocks of the forks, in the order of mainnet. */
const forkBlocks = { shanghai: 4, cancun: 8, prague: 12, osaka: 16 };
const timeOf = (number) => genesisTime + number * secondsPerBlock;

const sha256 = (text) => new Uint8Array(createHash('sha256').update(text).digest());
const keys = ['deployer', 'alice', 'bob'].map((name) => sha256(`cairn sample network, ${name}: not for money`));
const [deployer, alice, bob] = keys.map((key) => ({ key, address: createAddressFromPrivateKey(key), nonce: 0n }));

function makeGenesis() {
  const zeroForks = [
    'homestead',
    'eip150',
    'eip155',
    'eip158',
    'byzantium',
    'constantinople',
    'petersburg',
    'istanbul',
    'muirGlacier',
    'berlin',
    'london',
    'arrowGlacier',
    'grayGlacier',
    'mergeNetsplit',
  ];
  const times = Object.fromEntries(Object.entries(forkBlocks).map(([fork, number]) => [`${fork}Time`, timeOf(number)]));
  const blobs = (target, max, baseFeeUpdateFraction) => ({ target, max, baseFeeUpdateFraction });
  return {
    config: {
      chainId,
      ...Object.fromEntries(zeroForks.map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      terminalTotalDifficultyPassed: true,
      ...times,
      depositContractAddress: `0x${'00'.repeat(20)}`,
      blobSchedule: { cancun: blobs(3, 6, 3_338_477), prague: blobs(6, 9, 5_007_716), osaka: blobs(6, 9, 5_007_716) },
    },
    nonce: '0x0',
    timestamp: `0x${genesisTime.toString(16)}`,
    extraData: bytesToHex(new TextEncoder().encode('Cairn sample network')),
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    mixHash: `0x${'00'.repeat(32)}`,
    coinbase: `0x${'00'.repeat(20)}`,
    baseFeePerGas: '0x3b9aca00',
    alloc: {
      ...Object.fromEntries(
        [deployer, alice, bob].map(({ address }) => [address.toString(), { balance: '0x3635c9adc5dea00000' }]),
      ),
      ...Object.fromEntries(
        Object.entries(systemContracts).map(([address, { code }]) => [address, { balance: '0x0', nonce: '0x1', code }]),
      ),
    },
  };
}

const hex = (value) => `0x${value.toString(16)}`;
const word = (value) => BigInt(value).toString(16).padStart(64, '0');
const encode = (contract, signature, ...args) => `0x${contract.selectors[signature]}${args.map(word).join('')}`;

/** Transactions of each block, by number. */
function makePlan({ Token, Reverts, Loops }) {
  const at = (nonce) => createContractAddress(deployer.address, nonce);
  const [token, reverts, loops] = [at(0n), at(1n), at(2n)];
  const supply = 1_000_000n * 10n ** 18n;
  const legacy = (from, fields) => ({ from, type: 0, gasPrice: 2_000_000_000n, ...fields });
  const listed = (from, fields) => ({ from, type: 1, gasPrice: 2_000_000_000n, ...fields });
  const dynamic = (from, fields) => ({
    from,
    type: 2,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000n,
    ...fields,
  });
  const transfer = (to, amount) => ({
    to: token,
    data: encode(Token, 'transfer(address,uint256)', to.toString(), amount),
    gasLimit: 100_000n,
  });
  const plan = {
    1: [legacy(deployer, { data: `${Token.code}${word(supply)}`, gasLimit: 1_500_000n })],
    2: [
      dynamic(deployer, { data: Reverts.code, gasLimit: 1_500_000n }),
      dynamic(deployer, { data: Loops.code, gasLimit: 1_500_000n }),
    ],
    3: [
      dynamic(deployer, transfer(alice.address, 5_000n * 10n ** 18n)),
      dynamic(deployer, transfer(bob.address, 2_500n * 10n ** 18n)),
    ],
    4: [
      listed(alice, {
        ...transfer(bob.address, 10n ** 18n),
        accessList: [{ address: token.toString(), storageKeys: [`0x${'00'.repeat(32)}`] }],
      }),
    ],
    5: [dynamic(bob, { to: loops, data: encode(Loops, 'store(uint256,uint256)', 0, 20), gasLimit: 2_000_000n })],
    6: [
      dynamic(bob, { to: reverts, data: encode(Reverts, 'withReason()'), gasLimit: 100_000n }),
      legacy(alice, { to: bob.address, value: 10n ** 18n, gasLimit: 21_000n }),
    ],
    9: [
      dynamic(alice, {
        type: 3,
        to: bob.address,
        gasLimit: 21_000n,
        maxFeePerBlobGas: 10n,
        blobVersionedHashes: [blobHash('one'), blobHash('two')],
      }),
    ],
    10: [dynamic(alice, { to: loops, data: encode(Loops, 'hash(uint256)', 50), gasLimit: 500_000n })],
    13: [dynamic(alice, { type: 4, to: bob.address, gasLimit: 200_000n, delegations: [{ by: bob, to: loops }] })],
    14: [dynamic(alice, { to: bob.address, data: encode(Loops, 'store(uint256,uint256)', 1, 3), gasLimit: 500_000n })],
    17: [dynamic(bob, transfer(alice.address, 7n * 10n ** 18n))],
    20: [
      dynamic(deployer, {
        to: token,
        data: encode(Token, 'approve(address,uint256)', alice.address.toString(), 10n ** 21n),
        gasLimit: 100_000n,
      }),
    ],
    21: [
      dynamic(alice, {
        to: token,
        data: encode(
          Token,
          'transferFrom(address,address,uint256)',
          deployer.address.toString(),
          bob.address.toString(),
          10n ** 20n,
        ),
        gasLimit: 100_000n,
      }),
    ],
  };
  return { plan, addresses: { Token: token, Reverts: reverts, Loops: loops } };
}

const blobHash = (name) => bytesToHex(Uint8Array.from([1, ...sha256(`cairn sample blob ${name}`).subarray(1)]));

function sign({ from, delegations, ...fields }, common) {
  const nonce = from.nonce++;
  const authorizationList = delegations?.map(({ by, to }) => {
    const authorization = eoaCode7702SignAuthorization(
      { chainId: hex(chainId), address: to.toString(), nonce: hex(by.nonce) },
      by.key,
    );
    by.nonce++;
    return authorization;
  });
  return createTx({ chainId, nonce, ...fields, ...(authorizationList && { authorizationList }) }, { common }).sign(
    from.key,
  );
}

/** All files of the network, by name. */
export async function makeNetwork() {
  for (const account of [deployer, alice, bob]) account.nonce = 0n;
  const contracts = compileContracts();
  const genesis = makeGenesis();
  const { alloc, ...parameters } = genesis;
  const spec = { name: 'sample', chainId: String(chainId), genesis: parameters };
  const common = commonFromChainSpec(spec);
  await prepareKzg();
  const vm = await createVM({ common, setHardfork: true });
  await vm.stateManager.generateCanonicalGenesis(parseGethGenesisState(genesis));
  common.setHardforkBy({ blockNumber: 0n, timestamp: BigInt(genesisTime) });
  let parent = createBlock(
    { header: { ...common.genesis(), number: 0, stateRoot: await vm.stateManager.getStateRoot() } },
    { common: common.copy() },
  );
  const { plan, addresses } = makePlan(contracts);
  const chain = [];
  for (let number = 1; number <= blockCount; number++) {
    parent = await makeBlock(vm, parent, number, plan[number] ?? []);
    chain.push(encodeRlp(parent.raw()));
  }
  const described = Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [
      name,
      { address: address.toString(), abi: contracts[name].abi, selectors: contracts[name].selectors },
    ]),
  );
  const accounts = {
    deployer: deployer.address.toString(),
    alice: alice.address.toString(),
    bob: bob.address.toString(),
  };
  const networks = {
    networks: [
      {
        name: 'sample',
        hosts: ['sample.localhost', '*'],
        genesis: 'genesis.json',
        blocks: ['chain.rlp'],
        requireFrom: true,
      },
    ],
  };
  const json = (value) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  return {
    'networks.json': json(networks),
    'genesis.json': json(genesis),
    'chain.rlp': Buffer.concat(chain),
    'contracts.json': json({ chainId, head: bytesToHex(parent.hash()), accounts, contracts: described }),
  };
}

async function makeBlock(vm, parentBlock, number, transactions) {
  const timestamp = BigInt(timeOf(number));
  vm.common.setHardforkBy({ blockNumber: BigInt(number), timestamp });
  const common = vm.common.copy();
  const { header: before } = parentBlock;
  const has = (eip) => common.isActivatedEIP(eip);
  const headerData = {
    number,
    timestamp,
    gasLimit: before.gasLimit,
    coinbase: `0x${'c0'.repeat(20)}`,
    mixHash: sha256(`cairn sample randao ${number}`),
    extraData: new TextEncoder().encode('cairn'),
    baseFeePerGas: before.calcNextBaseFee(),
    ...(has(4844) && {
      excessBlobGas: before.calcNextExcessBlobGas(common),
      parentBeaconBlockRoot: sha256(`cairn sample beacon root ${number}`),
    }),
  };
  const withdrawals = has(4895)
    ? number % 5 === 0
      ? [{ index: number, validatorIndex: 7, address: bob.address, amount: 1_000_000n }]
      : []
    : undefined;
  const builder = await buildBlock(vm, {
    parentBlock,
    headerData,
    ...(withdrawals && { withdrawals }),
    blockOpts: { common, putBlockIntoBlockchain: false },
  });
  for (const transaction of transactions)
    await builder.addTransaction(sign(transaction, common), { allowNoBlobs: true });
  const { block } = await builder.build();
  return block;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const directory = process.argv[2] ?? fileURLToPath(new URL('./network', import.meta.url));
  mkdirSync(directory, { recursive: true });
  for (const [name, bytes] of Object.entries(await makeNetwork())) writeFileSync(join(directory, name), bytes);
  console.log(`The sample network is in ${directory}.`);
}
