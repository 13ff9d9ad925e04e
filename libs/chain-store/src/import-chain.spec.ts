import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Hex, hexFromBytes, senderOf } from '@cairn/block-model';
import { conformanceDirectory, hasConformanceCases } from '@cairn/block-model/testing';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type ChainStore, openChainStore } from './index.ts';
import { importChain } from './reference-import.fixture.ts';

const network = resolve(process.cwd(), '../../tools/sample-network/network');
const [genesis, chain] = [join(network, 'genesis.json'), join(network, 'chain.rlp')];
const sample = JSON.parse(readFileSync(join(network, 'contracts.json'), 'utf8')) as {
  head: Hex;
  accounts: Record<string, Hex>;
  contracts: { Token: { address: Hex } };
};
const withCases = hasConformanceCases ? describe : describe.skip;

const home = mkdtempSync(join(tmpdir(), 'cairn-chain-'));
let count = 0;
const temporary = (name = 'chain') => join(home, `${name}-${count++}`);
const opened: ChainStore[] = [];
async function open(directory = temporary()): Promise<ChainStore> {
  const store = await openChainStore({ directory });
  opened.push(store);
  return store;
}
afterAll(async () => {
  for (const store of opened) await store.close();
  rmSync(home, { recursive: true });
});

const importInto = (store: ChainStore, files: readonly string[] = [chain], from = genesis) =>
  importChain({ store, name: 'sample', genesis: from, files });

describe('importChain', () => {
  test('executes and verifies the sample chain, and reads back blocks, difficulty and heights', async () => {
    const store = await open();
    const progress: bigint[] = [];
    await importChain({
      store,
      name: 'sample',
      genesis,
      files: [chain],
      onProgress: ({ number }) => progress.push(number),
    });
    expect(store.head).toEqual({ hash: sample.head, number: 24n });
    expect(progress).toEqual(Array.from({ length: 24 }, (_, index) => BigInt(index + 1)));
    for (let number = 0n; number <= 24n; number++) {
      const hash = store.hashByNumber(number) as Hex;
      const block = store.block(hash);
      expect(block?.header.number).toBe(number);
      expect(store.isCanonical(hash)).toBe(true);
      for (const transaction of block?.transactions ?? [])
        expect(Object.values(sample.accounts)).toContain(senderOf(transaction));
    }
    expect(store.totalDifficulty(sample.head)).toBe(0n);
    expect(store.hashByNumber(25n)).toBeUndefined();
    expect(store.header(`0x${'11'.repeat(32)}`)).toBeUndefined();
    expect(store.blockByTag('earliest').number).toBe(0n);
  });

  test('stores the state after every block', async () => {
    const store = await open();
    await importInto(store);
    const alice = Buffer.from((sample.accounts.alice ?? '').slice(2), 'hex');
    const nonceAt = (number: bigint) => store.stateAt(store.hashByNumber(number) as Hex)?.getAccount(alice)?.nonce;
    expect([0n, 3n, 4n, 6n, 9n, 24n].map(nonceAt)).toEqual([0n, 0n, 1n, 2n, 3n, 7n]);
    const token = Buffer.from(sample.contracts.Token.address.slice(2), 'hex');
    expect(store.stateAt(store.genesisHash)?.getAccount(token)).toBeUndefined();
    const account = store.stateAt(sample.head)?.getAccount(token);
    expect(store.stateAt(sample.head)?.getCode(account?.codeHash ?? new Uint8Array(32)).length).toBeGreaterThan(500);
  });

  test('skips known blocks, resumes where a file ended, and reads gzip', async () => {
    const directory = temporary();
    const store = await open(directory);
    const part = temporary('part.rlp');
    copyFileSync(chain, part);
    const lengths = blockLengths(readFileSync(chain));
    truncateSync(
      part,
      lengths.slice(0, 10).reduce((sum, length) => sum + length, 0),
    );
    expect(await importInto(store, [part])).toBe(10);
    expect(await importInto(store, [part])).toBe(0);
    const zipped = temporary('chain.rlp.gz');
    writeFileSync(zipped, gzipSync(readFileSync(chain)));
    expect(await importInto(store, [zipped])).toBe(14);
    expect(store.head.hash).toBe(sample.head);
  });

  test('refuses a changed block with its number and the reason, and keeps the earlier blocks', async () => {
    const store = await open();
    const bytes = readFileSync(chain);
    const lengths = blockLengths(bytes);
    const start = lengths.slice(0, 12).reduce((sum, length) => sum + length, 0);
    // The changed byte is in the state root of block 13.
    bytes.writeUInt8((bytes[start + 120] ?? 0) ^ 1, start + 120);
    const broken = temporary('broken.rlp');
    writeFileSync(broken, bytes);
    await expect(importInto(store, [broken])).rejects.toMatchObject({
      code: 'BLOCK_REFUSED',
      message: expect.stringMatching(/^Block 13 \(0x.*state root|stateRoot/i),
    });
    expect(store.head.number).toBe(12n);
    expect(await importInto(store)).toBe(12);
  });

  test.each([
    ['a truncated block', (bytes: Buffer) => bytes.subarray(0, bytes.length - 5), 'SOURCE_INVALID', 23n],
    ['a file without blocks', () => Buffer.from('not a chain'), 'SOURCE_INVALID', 0n],
    ['a length above the limit', () => Buffer.from('ffffffffffffffffff', 'hex'), 'SOURCE_INVALID', 0n],
    ['a gap', (bytes: Buffer) => bytes.subarray(blockLengths(bytes)[0]), 'BLOCK_REFUSED', 0n],
  ])('%s results in a typed error, and the blocks before it stay', async (_, change, code, head) => {
    const store = await open();
    const file = temporary('faulty.rlp');
    writeFileSync(file, change(readFileSync(chain)));
    await expect(importInto(store, [file])).rejects.toMatchObject({ code });
    expect(store.head.number).toBe(head);
  });

  test('refuses another genesis for the same store, and a missing file', async () => {
    const store = await open();
    await importInto(store, []);
    await expect(importInto(store, [], 'mainnet')).rejects.toMatchObject({ code: 'GENESIS_INVALID' });
    await expect(importInto(store, [join(home, 'none.rlp')])).rejects.toMatchObject({ code: 'SOURCE_INVALID' });
    await expect(importInto(await open(), [], join(home, 'none.json'))).rejects.toMatchObject({
      code: 'GENESIS_INVALID',
    });
  });

  test('a completely imported file is not read again until it changes', async () => {
    const store = await open();
    const file = temporary('once.rlp');
    copyFileSync(chain, file);
    const mtime = new Date(1_700_000_000_000);
    utimesSync(file, mtime, mtime);
    await importInto(store, [file]);
    const { size } = statSync(file);
    writeFileSync(file, Buffer.alloc(size, 0xff));
    utimesSync(file, mtime, mtime);
    expect(await importInto(store, [file])).toBe(0);
    utimesSync(file, mtime, new Date(mtime.getTime() + 5000));
    await expect(importInto(store, [file])).rejects.toMatchObject({ code: 'SOURCE_INVALID' });
  });

  test('after kill -9 the store has whole blocks only, and the next import reaches the same head', async () => {
    const directory = temporary();
    const script = `
      const { importChain, openChainStore } = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)});
      const { createBlockRunner } = await import('@cairn/evm-ethereumjs');
      const store = await openChainStore({ directory: ${JSON.stringify(directory)} });
      const runner = createBlockRunner();
      const onProgress = ({ number }) => { if (number === 9n) process.kill(process.pid, 'SIGKILL'); };
      const abort = new AbortController();
      for (let n = 1; n <= 24; n++) await importChain({ store, name: 'sample', genesis: ${JSON.stringify(genesis)}, files: [${JSON.stringify(chain)}], runner, onProgress });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    await new Promise((done) => child.once('exit', done));
    expect(child.signalCode).toBe('SIGKILL');
    const store = await open(directory);
    const { number, hash } = store.head;
    expect(number).toBeLessThan(10n);
    expect(store.block(hash)?.header.number).toBe(number);
    await importInto(store);
    expect(store.head.hash).toBe(sample.head);
  });

  test('two concurrent imports result in one chain', async () => {
    const directory = temporary();
    const [one, two] = [await open(directory), await open(directory)];
    await Promise.all([importInto(one), importInto(two)]);
    expect(one.head.hash).toBe(sample.head);
    expect(two.head.hash).toBe(sample.head);
  });
});

describe('reading', () => {
  test('a corrupt header, body or code is detected when it is read', async () => {
    const directory = temporary();
    const store = await open(directory);
    await importInto(store);
    const { tables } = store;
    const key = Buffer.from(sample.head.slice(2), 'hex');
    const rot = async (table: 'headers' | 'bodies') => {
      const bytes = Buffer.from(tables[table].get(key) ?? '');
      bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
      await tables.environment.transaction(() => tables[table].put(key, bytes));
      const again = new (store.constructor as new (tables: unknown) => ChainStore)(tables);
      expect(() => again.block(sample.head)).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
    };
    await rot('bodies');
    await rot('headers');
  });
});

withCases('real chains', () => {
  test('the 54-block conformance chain has the recorded state at its head', async () => {
    const store = await open();
    const folder = join(conformanceDirectory, 'execution-apis');
    await importChain({
      store,
      name: 'hive',
      genesis: join(folder, 'genesis.json'),
      files: [join(folder, 'chain.rlp')],
    });
    expect(store.head.hash).toBe('0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7');
    const state = store.stateAt(store.head.hash);
    const { accounts } = JSON.parse(readFileSync(join(folder, 'headstate.json'), 'utf8')) as {
      accounts: Record<string, { balance: string; nonce: number; address?: string; storage?: Record<string, string> }>;
    };
    for (const [name, { balance, nonce, address = name, storage = {} }] of Object.entries(accounts)) {
      const key = Buffer.from(address.replace(/^0x/, ''), 'hex');
      expect([address, state?.getAccount(key)?.balance, state?.getAccount(key)?.nonce]).toEqual([
        address,
        BigInt(balance),
        BigInt(nonce),
      ]);
      for (const [slot, value] of Object.entries(storage)) {
        const read =
          state?.getStorage(key, Buffer.from(slot.replace(/^0x/, '').padStart(64, '0'), 'hex')) ?? new Uint8Array(0);
        expect(BigInt(hexFromBytes(read) === '0x' ? 0 : hexFromBytes(read))).toBe(
          BigInt(value.startsWith('0x') ? value : `0x${value}`),
        );
      }
    }
  });

  test('the first blocks of mainnet import from era1 with verified state roots', async () => {
    const store = await open();
    const file = join(conformanceDirectory, 'mainnet/mainnet-00000-5ec1ffb8.era1');
    expect(existsSync(file)).toBe(true);
    const enough = new AbortController();
    const onProgress = ({ number }: { number: bigint }) => {
      if (number === 150n) enough.abort(new Error('enough'));
    };
    await expect(
      importChain({ store, name: 'mainnet', genesis: 'mainnet', files: [file], onProgress, signal: enough.signal }),
    ).rejects.toThrow('enough');
    expect(store.genesisHash).toBe('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3');
    expect(store.head.number).toBe(150n);
    expect(store.totalDifficulty(store.hashByNumber(1n) as Hex)).toBe(34_351_349_760n);
  });

  test('an era1 file whose first block has no stored parent is refused', async () => {
    const store = await open();
    const files = [join(conformanceDirectory, 'mainnet/sepolia-00021-b8814b14.era1')];
    await expect(importChain({ store, name: 'sepolia', genesis: 'sepolia', files })).rejects.toMatchObject({
      code: 'BLOCK_REFUSED',
      message: expect.stringContaining('the chain ends at block 0'),
    });
  });
});

test('importChain of hoodi starts at its known genesis', async () => {
  const store = await open();
  await importChain({ store, name: 'hoodi', genesis: 'hoodi', files: [] });
  expect(store.head.hash).toBe('0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b');
});

/** Returns the lengths of the RLP lists in a file. */
function blockLengths(bytes: Buffer): number[] {
  const lengths: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const extra = (bytes[at] ?? 0) - 0xf7;
    const length = 1 + extra + bytes.readUIntBE(at + 1, extra);
    lengths.push(length);
    at += length;
  }
  return lengths;
}
