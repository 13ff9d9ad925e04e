// Killed and concurrent imports in other processes. They run the built package, as an application does.
import { spawn } from 'node:child_process';
import { bytesFromHex, hexFromBytes } from '@cairn/block-model';
import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { Account } from '@ethereumjs/util';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type MadeChain, makeChain, type Step, temporaryDirectory } from './chain.fixture.ts';
import { type ChainStore, openChainStore } from './index.ts';

const built = new URL('../dist/index.js', import.meta.url).href;
/** Number of blocks that needs more than two commits. */
const blockCount = 140;

let chain: MadeChain;
let directory: ReturnType<typeof temporaryDirectory>;
let script: string;

beforeAll(async () => {
  const steps = (number: number): Step[] => [
    number % 5 === 0 ? { kind: 'create', child: 0 } : { kind: 'write', child: 0, slot: number % 3, value: number },
    ...(number % 5 === 4 ? [{ kind: 'destroy', child: 0 } as const] : []),
  ];
  chain = await makeChain(Array.from({ length: blockCount }, (_, number) => steps(number)));
});
beforeEach(() => {
  directory = temporaryDirectory();
  const options = {
    name: 'made',
    genesis: directory.write('genesis.json', chain.genesis),
    files: [directory.write('chain.rlp', Buffer.concat(chain.blocks))],
  };
  script = `
    const { importChain, openChainStore } = await import(${JSON.stringify(built)});
    const { createBlockRunner } = await import('@cairn/evm-ethereumjs');
    const store = await openChainStore({ directory: ${JSON.stringify(`${directory.path}/store`)} });
    const onProgress = ({ blocks }) => process.stdout.write(blocks + '\\n');
    await importChain({ store, runner: createBlockRunner(), onProgress, ...${JSON.stringify(options)} });
    await store.close();`;
});
afterEach(() => directory.remove());

/** Imports in a separate process, and kills the process after `killAfter` executed blocks. */
function importInProcess(killAfter = Number.POSITIVE_INFINITY): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  let lines = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines += text;
    if (lines.split('\n').length > killAfter) child.kill('SIGKILL');
  });
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve();
      else reject(new Error(`The process ended with ${code ?? signal}: ${errors}`));
    });
  });
}

async function inspect<T>(look: (store: ChainStore) => Promise<T>): Promise<T> {
  const store = await openChainStore({ directory: `${directory.path}/store` });
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

/** Expects every block up to the head to be readable, and the state after the head to match its header. */
async function assertWhole(store: ChainStore): Promise<bigint> {
  const head = store.headOrNone;
  if (head === undefined) return -1n;
  for (let number = 1n; number <= head.number; number++) {
    const hash = store.hashByNumber(number);
    expect(hash).toBe(chain.hashes[Number(number) - 1]);
    if (hash) expect(store.block(hash)?.header.number).toBe(number);
  }
  const state = store.stateAt(head.hash);
  const trie = new MerklePatriciaTrie({ useKeyHashing: true });
  for (const address of chain.addresses.map((text) => bytesFromHex(text))) {
    const found = state?.getAccount(address);
    if (!found) continue;
    const account = new Account(found.nonce, found.balance, found.storageRoot, found.codeHash);
    await trie.put(address, account.serialize());
  }
  expect(hexFromBytes(trie.root())).toBe(store.header(head.hash)?.stateRoot);
  expect(store.hashByNumber(head.number + 1n)).toBeUndefined();
  return head.number;
}

describe('importing processes', () => {
  test('a killed import leaves whole blocks, and the next one resumes', async () => {
    let reached = -1n;
    for (const killAfter of [5, 70, 40, 100]) {
      await importInProcess(killAfter);
      const head = await inspect(assertWhole);
      expect(head).toBeGreaterThanOrEqual(reached);
      reached = head;
    }
    expect(reached).toBeGreaterThanOrEqual(64n);
    await importInProcess();
    expect(await inspect(assertWhole)).toBe(BigInt(blockCount));
  });

  test('two concurrent imports of one network result in one chain', async () => {
    await Promise.all([importInProcess(), importInProcess(30), importInProcess()]);
    expect(await inspect(assertWhole)).toBe(BigInt(blockCount));
  });
});
