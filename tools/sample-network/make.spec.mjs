import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importChain, loadNetworks, openChainStore } from '@cairn/chain-store';
import { createBlockRunner, executeCall, parseCallRequest } from '@cairn/evm-executor';
import { makeNetwork } from './make.mjs';

const directory = fileURLToPath(new URL('./network', import.meta.url));
const { head, accounts, contracts } = JSON.parse(readFileSync(join(directory, 'contracts.json'), 'utf8'));

test('the committed network equals the one made from its sources', async () => {
  for (const [name, bytes] of Object.entries(await makeNetwork())) {
    assert.ok(
      readFileSync(join(directory, name)).equals(bytes),
      `${name} differs: run node tools/sample-network/make.mjs and commit`,
    );
  }
});

test('the README names the deployed addresses', () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  for (const [name, { address }] of Object.entries(contracts))
    assert.match(readme, new RegExp(`\`${name}\` .*${address}`));
  for (const [name, address] of Object.entries(accounts)) assert.match(readme, new RegExp(`\`${name}\` .*${address}`));
});

describe('imported', () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-sample-'));
  let store;

  before(async () => {
    store = await openChainStore({ directory: home });
    const [network] = loadNetworks(join(directory, 'networks.json'));
    const { name, genesis, blocks: files } = network;
    await importChain({ store, name, genesis, files, runner: createBlockRunner() });
  });

  after(async () => {
    await store.close();
    rmSync(home, { recursive: true });
  });

  /** Calls a function of a contract at the head with numbers as arguments. */
  const call = (contract, signature, ...args) => {
    const { address, selectors } = contracts[contract];
    const words = args.map((value) => BigInt(value).toString(16).padStart(64, '0'));
    return executeCall({
      spec: store.spec,
      header: store.header(store.head.hash),
      state: store.stateAt(store.head.hash),
      blockHashes: (number) => store.hashByNumber(number),
      call: parseCallRequest({
        from: accounts.alice,
        to: address,
        data: `0x${selectors[signature]}${words.join('')}`,
        gas: '0xf4240',
      }),
    });
  };

  test('every root verifies, and every type of transaction exists', () => {
    assert.equal(store.head.hash, head);
    const types = new Set();
    for (let number = 0n; number <= store.head.number; number++) {
      for (const { type } of store.block(store.hashByNumber(number)).transactions) types.add(type);
    }
    assert.deepEqual([...types].sort(), [0, 1, 2, 3, 4]);
  });

  test('token balances match the README', async () => {
    for (const [name, tokens] of [
      ['deployer', 992_400n],
      ['alice', 5_006n],
      ['bob', 2_594n],
    ]) {
      const { output } = await call('Token', 'balanceOf(address)', accounts[name]);
      assert.equal(BigInt(output), tokens * 10n ** 18n, name);
    }
  });

  const panic = (code) => `0x4e487b71${code.toString(16).padStart(64, '0')}`;
  for (const [signature, args, message, data] of [
    ['withReason()', [], 'execution reverted: the reason', /^0x08c379a0/],
    ['inNestedCall()', [], 'execution reverted: the reason', /^0x08c379a0/],
    ['withEmptyReason()', [], 'execution reverted: ', /^0x08c379a0/],
    ['withoutReason()', [], 'execution reverted', /^0x$/],
    ['withCustomError()', [], 'execution reverted', /^0xf988f737/],
    ['withRawData()', [], 'execution reverted', /^0xdeadbeef$/],
    ['byAssert()', [], 'execution reverted: assert(false)', panic(0x01)],
    ['byOverflow(uint256)', [1], 'execution reverted: arithmetic underflow or overflow', panic(0x11)],
    ['byDivision(uint256)', [0], 'execution reverted: division or modulo by zero', panic(0x12)],
    ['byConversion(uint256)', [2], 'execution reverted: enum overflow', panic(0x21)],
    ['byEncoding()', [], 'execution reverted: invalid encoded storage byte array accessed', panic(0x22)],
    ['byPop()', [], 'execution reverted: out-of-bounds array access; popping on an empty array', panic(0x31)],
    ['byIndex(uint256)', [0], 'execution reverted: out-of-bounds access of an array or bytesN', panic(0x32)],
    ['byAllocation(uint256)', [2n ** 64n], 'execution reverted: out of memory', panic(0x41)],
    ['byFunctionPointer()', [], 'execution reverted: uninitialized function', panic(0x51)],
  ]) {
    test(`Reverts.${signature} reverts as the README says`, async () => {
      const result = await call('Reverts', signature, ...args);
      assert.equal(result.kind, 'revert');
      assert.equal(result.message, message);
      assert.match(result.data, typeof data === 'string' ? new RegExp(`^${data}$`) : data);
    });
  }

  test('an invalid opcode and an endless loop are errors without reverts', async () => {
    const invalid = await call('Reverts', 'byInvalidOpcode()');
    assert.deepEqual([invalid.kind, invalid.reason], ['halt', 'invalid opcode: INVALID']);
    const endless = await call('Loops', 'forever()');
    assert.deepEqual([endless.kind, endless.reason], ['halt', 'out of gas']);
  });
});
