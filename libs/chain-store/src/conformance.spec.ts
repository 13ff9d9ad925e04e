// Imports of real chains. They run when the directory of conformance cases exists beside the checkout.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import { conformanceDirectory, hasConformanceCases } from '@cairn/block-model/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { temporaryDirectory } from './chain.fixture.ts';
import { type ChainStore, openChainStore, readBlockFile } from './index.ts';
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

// "skipped" in the report where ../shared is absent.
const conformanceTest = hasConformanceCases ? test : test.skip;

interface HeadState {
  readonly root: string;
  readonly accounts: Readonly<
    Record<
      string,
      {
        readonly balance: string;
        readonly nonce: number;
        readonly root: string;
        readonly codeHash: string;
        readonly code?: string;
        readonly storage?: Readonly<Record<string, string>>;
      }
    >
  >;
}

conformanceTest('the chain with every fork imports with the state of geth', async () => {
  const at = (name: string) => join(conformanceDirectory, 'execution-apis', name);
  const files = [at('chain.rlp')];
  expect(await importChain({ store, name: 'hive', genesis: at('genesis.json'), files })).toBe(54);
  const expected: HeadState = JSON.parse(readFileSync(at('headstate.json'), 'utf8'));
  expect(store.header(store.head.hash)?.stateRoot.slice(2)).toBe(expected.root);
  const state = store.stateAt(store.head.hash);
  if (!state) throw new Error('no state at the head');
  let slots = 0;
  for (const [address, account] of Object.entries(expected.accounts)) {
    const bytes = bytesFromHex(address.toLowerCase() as Hex);
    const found = state.getAccount(bytes);
    expect({
      balance: found?.balance.toString(),
      nonce: found?.nonce,
      root: hexFromBytes(found?.storageRoot ?? new Uint8Array(0)),
      codeHash: hexFromBytes(found?.codeHash ?? new Uint8Array(0)),
    }).toEqual({
      balance: account.balance,
      nonce: BigInt(account.nonce),
      root: account.root,
      codeHash: account.codeHash,
    });
    if (account.code && found) expect(hexFromBytes(state.getCode(found.codeHash))).toBe(account.code);
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      slots++;
      expect(BigInt(hexFromBytes(state.getStorage(bytes, bytesFromHex(slot as Hex))))).toBe(
        BigInt(`0x${value.replace(/^0x/, '')}`),
      );
    }
  }
  expect(Object.keys(expected.accounts).length).toBeGreaterThan(10);
  expect(slots).toBeGreaterThan(10);
});

conformanceTest('the first blocks of mainnet import from their era1 file', async () => {
  const blocks: Uint8Array[] = [];
  const era = join(conformanceDirectory, 'mainnet/mainnet-00000-5ec1ffb8.era1');
  for await (const { raw } of readBlockFile(era)) if (blocks.push(raw.slice()) > 200) break;
  const files = [directory.write('blocks.rlp', Buffer.concat(blocks))];
  // The file begins with the genesis block, which is stored already.
  expect(await importChain({ store, name: 'main', genesis: 'mainnet', files })).toBe(200);
  expect(store.hashByNumber(1n)).toBe('0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6');
  expect(store.totalDifficulty(store.hashByNumber(1n) ?? '0x')).toBe(34_351_349_760n);
  // Block 1 pays 5 ether to its miner, an account that does not exist before.
  const miner = bytesFromHex('0x05a56e2d52c817161883f50c441c3228cfe54d9f');
  expect(store.stateAt(store.hashByNumber(1n) ?? '0x')?.getAccount(miner)?.balance).toBe(5n * 10n ** 18n);
  expect(store.stateAt(store.genesisHash)?.getAccount(miner)).toBeUndefined();
});
