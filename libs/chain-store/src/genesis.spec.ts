import { bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { madeGenesis, temporaryDirectory } from './chain.fixture.ts';
import { type ChainStore, openChainStore } from './index.ts';
import { importChain } from './reference-import.fixture.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let store: ChainStore;
beforeEach(async () => {
  directory = temporaryDirectory();
  store = await openChainStore({ directory: `${directory.path}/store` });
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

const begin = (genesis: string | object) =>
  importChain({
    store,
    name: 'made',
    genesis: typeof genesis === 'string' ? genesis : directory.write('genesis.json', genesis),
    files: [],
  });

describe('genesis', () => {
  // Published hashes and state roots of the networks, and the numbers of accounts in their genesis files.
  test.each([
    [
      'mainnet',
      '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
      '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
    ],
    [
      'sepolia',
      '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
      '0x5eb6e371a698b8d68f665192350ffcecbbbf322916f4b51bd79bb6887da3f494',
    ],
    [
      'hoodi',
      '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
      '0xda87d7f5f91c51508791bbcbd4aa5baf04917830b86985eeb9ad3d5bfb657576',
    ],
  ])('the genesis of %s has its published hash and state root', async (known, hash, stateRoot) => {
    expect(await begin(known)).toBe(0);
    expect(store.head).toEqual({ hash, number: 0n });
    expect(store.header(hash as Hex)?.stateRoot).toBe(stateRoot);
    expect(store.block(hash as Hex)?.transactions).toEqual([]);
  });

  test('the deposit contract of hoodi has code and storage in the genesis state', async () => {
    await begin('hoodi');
    const state = store.stateAt(store.head.hash);
    const contract = bytesFromHex('0x00000000219ab540356cbb839cbe05303d7705fa');
    const account = state?.getAccount(contract);
    if (!state || !account) throw new Error('no deposit contract');
    expect(state.getCode(account.codeHash).length).toBeGreaterThan(1_000);
    // Hash of two zero words, the first of the zero hashes that the constructor of the contract writes.
    const slot = bytesFromHex(`0x${(0x22).toString(16).padStart(64, '0')}`);
    expect(hexFromBytes(state.getStorage(contract, slot))).toBe(
      '0xf5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b',
    );
  });

  test('accepts accounts with code, storage, and numbers of any length', async () => {
    const address: Hex = `0x${'aa'.repeat(20)}`;
    const account = { balance: '0x7', nonce: '0x2', code: '0x6001', storage: { '0x1': '0x2', '0x02': '0x0' } };
    await begin({ ...madeGenesis(), alloc: { [address.slice(2)]: account } });
    const state = store.stateAt(store.head.hash);
    const found = state?.getAccount(bytesFromHex(address));
    expect(found).toMatchObject({ balance: 7n, nonce: 2n });
    expect(hexFromBytes(state?.getCode(found?.codeHash ?? new Uint8Array(0)) ?? new Uint8Array(0))).toBe('0x6001');
    const at = (slot: number) => state?.getStorage(bytesFromHex(address), new Uint8Array(32).fill(slot, 31));
    expect([at(1), at(2), at(3)].map((value) => hexFromBytes(value ?? new Uint8Array(1)))).toEqual([
      '0x02',
      '0x',
      '0x',
    ]);
  });

  test.each([
    ['a file that is not JSON', '{', 'GENESIS_INVALID', /genesis\.json cannot be read as JSON/],
    ['no accounts', { ...madeGenesis(), alloc: undefined }, 'VALUE_INVALID', /genesis\.alloc/],
    ['no chain id', { ...madeGenesis(), config: {} }, 'VALUE_INVALID', /genesis\.config\.chainId/],
    ['a short address', { ...madeGenesis(), alloc: { '0x12': { balance: '0x0' } } }, 'VALUE_INVALID', /genesis\.alloc/],
    [
      'an invalid balance',
      { ...madeGenesis(), alloc: { [`0x${'aa'.repeat(20)}`]: { balance: 'much' } } },
      'VALUE_INVALID',
      /\.balance/,
    ],
  ])('refuses %s', async (_name, content, code, message) => {
    const file = directory.write('genesis.json', content as string | object);
    await expect(begin(file)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(store.headOrNone).toBeUndefined();
  });

  test('names a missing file in the error', async () => {
    await expect(begin(`${directory.path}/absent.json`)).rejects.toMatchObject({
      code: 'GENESIS_INVALID',
      message: expect.stringContaining('absent.json'),
    });
  });
});
