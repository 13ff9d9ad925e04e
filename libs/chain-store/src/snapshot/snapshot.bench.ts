// Writes and restores a chain with many accounts; prints rates, memory and the size of the file.
//   node node_modules/.bench/snapshot/snapshot.bench.js [accounts] [directory]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AccountChange,
  type BlockRunner,
  encodeBlock,
  hexFromBytes,
  keccak256,
  makeHeader,
  nextBaseFee,
} from '@cairn/block-model';
import { importChain } from '../import-chain.ts';
import { openChainStore, restoreSnapshot, writeSnapshot } from '../index.ts';
import { creditGenesis } from '../testing/credit-chain.ts';

const accountsPerBlock = 10_000;
const slotsPerContract = 20;
const accounts = Number(process.argv[2] ?? 120_000);
const directory = process.argv[4]
  ? (process.argv[3] ?? '')
  : mkdtempSync(join(process.argv[3] ?? tmpdir(), 'cairn-snapshot-'));
const hashOf = (text: string) => createHash('sha256').update(text).digest();

/** One account of five is a contract with code and slots. */
function changesOf(block: number): AccountChange[] {
  return Array.from({ length: accountsPerBlock }, (_, index) => {
    const name = `${block}-${index}`;
    const isContract = index % 5 === 0;
    const code = isContract
      ? Buffer.concat([Buffer.of(0x60), ...Array(50).fill(hashOf(`code ${index}`))])
      : new Uint8Array(0);
    const slots = Array.from({ length: isContract ? slotsPerContract : 0 }, (_slot, slot) => {
      const value = hashOf(`value ${name} ${slot}`).subarray(0, slot % 2 ? 32 : 4);
      value[0] = (value[0] as number) || 1;
      return [hashOf(`slot ${name} ${slot}`), value] as const;
    });
    const balance = hashOf(`balance ${name}`).readBigUInt64BE();
    const account = { nonce: BigInt(index + 1), balance, codeHash: keccak256(code) };
    return { address: hashOf(`account ${name}`).subarray(0, 20), account, isStorageCleared: false, slots, code };
  });
}

const runner: BlockRunner = {
  name: 'accounts',
  async run({ block, roots }) {
    return { receipts: [], stateRoot: hexFromBytes(await roots.after(changesOf(Number(block.header.number)))) };
  },
};

const genesis = join(directory, 'genesis.json');
const file = join(directory, 'chain.car');
const source = join(directory, 'source');

async function makeChain(): Promise<void> {
  writeFileSync(genesis, JSON.stringify(creditGenesis));
  const store = await openChainStore({ directory: source });
  await importChain({ store, name: 'bench', genesis, runner, files: [] });
  for (let number = 1; number <= accounts / accountsPerBlock; number++) {
    const parent = store.header(store.head.hash);
    const roots = store.stateRoots(store.head.hash);
    if (!parent || !roots) throw new Error('The store has no head.');
    const header = makeHeader({
      ...parent,
      parentHash: parent.hash,
      number: BigInt(number),
      timestamp: parent.timestamp + 12n,
      baseFeePerGas: nextBaseFee(parent),
      stateRoot: hexFromBytes(await roots.after(changesOf(number))),
    });
    const block = join(directory, `${number}.rlp`);
    writeFileSync(block, encodeBlock({ header, transactions: [], uncles: [], withdrawals: [] }));
    await importChain({ store, name: 'bench', genesis, runner, files: [block] });
  }
  await store.close();
}

async function write(): Promise<void> {
  const store = await openChainStore({ directory: source });
  await measured('snapshot', () => writeSnapshot({ store, network: 'bench', file, states: 0 }));
  await store.close();
}

async function restore(): Promise<void> {
  const target = { directory: join(directory, 'restored'), network: { name: 'bench', genesis } };
  await measured('restore', () => restoreSnapshot({ file, ...target }));
  const sizeOf = (path: string) => (statSync(path).size / 1e6).toFixed(1);
  console.log(
    `${accounts} accounts, ${(accounts / 5) * slotsPerContract} slots: file ${sizeOf(file)} MB, store ${sizeOf(join(source, 'data.mdb'))} MB, restored ${sizeOf(join(target.directory, 'data.mdb'))} MB`,
  );
}

/** Memory without mapped files, whose pages the system may drop at any time. */
function ownBytes(): number {
  const found = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(found?.[1] ?? 0) * 1024;
}

async function measured(name: string, run: () => Promise<unknown>): Promise<void> {
  let rssMax = 0;
  const before = ownBytes();
  const timer = setInterval(() => {
    rssMax = Math.max(rssMax, ownBytes());
  }, 50);
  const start = performance.now();
  const cpu = process.cpuUsage();
  await run();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(timer);
  const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  console.log(
    `${name}: ${seconds.toFixed(1)} s, CPU ${((user + system) / 1e6).toFixed(1)} s, memory ${mebibytes(before)} to ${mebibytes(rssMax)} MiB`,
  );
}

// Each phase runs in a process of its own, so that its memory is measured alone.
const phases = { make: makeChain, write, restore };
const phase = process.argv[4] as keyof typeof phases | undefined;
if (phase !== undefined) await phases[phase]();
else {
  for (const name of Object.keys(phases))
    spawnSync(process.execPath, [process.argv[1] ?? '', `${accounts}`, directory, name], { stdio: 'inherit' });
  rmSync(directory, { recursive: true });
}
