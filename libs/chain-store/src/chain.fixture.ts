import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesFromHex, encodeRlp, type Hex, hexFromBytes, parseGethGenesis, type RlpItem } from '@cairn/block-model';
import { commonFromChainSpec } from '@cairn/evm-ethereumjs';
import { type Block, createBlock } from '@ethereumjs/block';
import { parseGethGenesisState } from '@ethereumjs/common';
import { createTx } from '@ethereumjs/tx';
import { createAddressFromPrivateKey, createAddressFromString, createContractAddress2 } from '@ethereumjs/util';
import { buildBlock, createVM, type VM } from '@ethereumjs/vm';
import fc from 'fast-check';
import type { ChainStore } from './chain-store.ts';
import { fixtureContracts } from './contracts.fixture.ts';

/** Action of one transaction of a made chain on one of the child contracts. */
export type Step =
  | { readonly kind: 'create'; readonly child: number }
  | { readonly kind: 'destroy'; readonly child: number }
  | { readonly kind: 'write'; readonly child: number; readonly slot: number; readonly value: number };

/** An account in the reference state manager after a block. */
export interface Snapshot {
  readonly account: { readonly nonce: bigint; readonly balance: bigint; readonly codeHash: Hex } | undefined;
  /** Values of the written slots, without leading zeros. */
  readonly slots: readonly Hex[];
}

/** A chain that the reference implementation created, including its state trie. */
export interface MadeChain {
  readonly genesis: ReturnType<typeof madeGenesis>;
  /** RLP of each block from block 1 on. */
  readonly blocks: readonly Uint8Array[];
  readonly hashes: readonly Hex[];
  readonly addresses: readonly Hex[];
  /** Snapshots by height, including genesis, then by address. */
  readonly history: readonly (readonly Snapshot[])[];
}

export const slotCount = 3;
const childCount = 2;
export const word = (value: number): Uint8Array => bytesFromHex(`0x${value.toString(16).padStart(64, '0')}`);

const key = new Uint8Array(32).fill(7);
const sender = createAddressFromPrivateKey(key);
const factory = createAddressFromString(`0x${'fa'.repeat(20)}`);
const miner = createAddressFromString(`0x${'c0'.repeat(20)}`);
const children = Array.from({ length: childCount }, (_, salt) =>
  createContractAddress2(factory, word(salt), fixtureContracts.childInit),
);
const watched = [sender, factory, miner, ...children];

/** Returns a genesis file of geth up to Shanghai, the last fork in which SELFDESTRUCT empties a contract. */
export function madeGenesis(): Parameters<typeof parseGethGenesisState>[0] {
  const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul'];
  const laterForks = ['muirGlacier', 'berlin', 'london', 'arrowGlacier', 'grayGlacier', 'mergeNetsplit'];
  return {
    config: {
      chainId: 4242,
      ...Object.fromEntries([...forks, ...laterForks].map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      terminalTotalDifficultyPassed: true,
      shanghaiTime: 0,
    },
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    mixHash: `0x${'00'.repeat(32)}`,
    coinbase: `0x${'00'.repeat(20)}`,
    baseFeePerGas: '0x3b9aca00',
    alloc: {
      [sender.toString()]: { balance: '0x3635c9adc5dea00000' },
      [factory.toString()]: { balance: '0x0', nonce: '0x1', code: hexFromBytes(fixtureContracts.factory) },
    },
  };
}

/** Creates a chain with one block for each list of steps. */
export async function makeChain(plan: readonly (readonly Step[])[]): Promise<MadeChain> {
  const genesis = madeGenesis();
  const common = commonFromChainSpec(parseGethGenesis('made', genesis).spec);
  const vm = await createVM({ common, setHardfork: true });
  await vm.stateManager.generateCanonicalGenesis?.(parseGethGenesisState(genesis));
  const header = { ...common.genesis(), number: 0n, stateRoot: await vm.stateManager.getStateRoot() };
  let parent = createBlock({ header, withdrawals: [] } as Parameters<typeof createBlock>[0], { common: common.copy() });
  const made: Block[] = [];
  const history = [await snapshotsOf(vm)];
  let nonce = 0n;
  for (const steps of plan) {
    parent = await makeBlock(vm, parent, steps, nonce);
    nonce += BigInt(steps.length);
    made.push(parent);
    history.push(await snapshotsOf(vm));
  }
  return {
    genesis,
    blocks: made.map((block) => encodeRlp(block.raw() as RlpItem)),
    hashes: made.map((block) => hexFromBytes(block.hash())),
    addresses: watched.map((address) => address.toString()),
    history,
  };
}

async function makeBlock(vm: VM, parentBlock: Block, steps: readonly Step[], nonce: bigint): Promise<Block> {
  const { number, timestamp, gasLimit } = parentBlock.header;
  const headerData = {
    number: number + 1n,
    timestamp: timestamp + 12n,
    gasLimit,
    coinbase: miner,
    baseFeePerGas: parentBlock.header.calcNextBaseFee(),
  };
  const blockOpts = { common: vm.common.copy(), putBlockIntoBlockchain: false, setHardfork: false };
  const builder = await buildBlock(vm, { parentBlock, headerData, withdrawals: [], blockOpts });
  for (const [index, step] of steps.entries()) {
    const child = children[step.child] ?? factory;
    const fields = {
      type: 2,
      chainId: vm.common.chainId(),
      nonce: nonce + BigInt(index),
      gasLimit: 300_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1n,
      to: step.kind === 'create' ? factory : child,
      data: dataOf(step),
    };
    await builder.addTransaction(createTx(fields, { common: vm.common }).sign(key));
  }
  const { block } = await builder.build();
  return block;
}

function dataOf(step: Step): Uint8Array {
  switch (step.kind) {
    case 'create':
      return word(step.child);
    case 'destroy':
      return new Uint8Array(0);
    case 'write':
      return Buffer.concat([word(step.slot), word(step.value)]);
  }
}

async function snapshotsOf(vm: VM): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = [];
  for (const address of watched) {
    const account = await vm.stateManager.getAccount(address);
    const slots: Hex[] = [];
    for (let slot = 0; slot < slotCount; slot++)
      slots.push(hexFromBytes(account ? await vm.stateManager.getStorage(address, word(slot)) : new Uint8Array(0)));
    snapshots.push({
      account: account && {
        nonce: account.nonce,
        balance: account.balance,
        codeHash: hexFromBytes(account.codeHash),
      },
      slots,
    });
  }
  return snapshots;
}

/** Reads the watched accounts after each block from the flat tables. */
export function historyIn(store: ChainStore, chain: MadeChain): Snapshot[][] {
  return chain.history.map((_, height) => {
    const hash = height === 0 ? store.genesisHash : chain.hashes[height - 1];
    const state = hash && store.stateAt(hash);
    if (!state) throw new Error(`no state at ${height}`);
    return chain.addresses.map((address) => {
      const account = state.getAccount(bytesFromHex(address));
      const slots = Array.from({ length: slotCount }, (_slot, slot) =>
        hexFromBytes(state.getStorage(bytesFromHex(address), word(slot))),
      );
      if (!account) return { account: undefined, slots };
      const { nonce, balance, codeHash } = account;
      // getCode throws when the code is missing.
      state.getCode(codeHash);
      return { account: { nonce, balance, codeHash: hexFromBytes(codeHash) }, slots };
    });
  });
}

const child = fc.nat(childCount - 1);
/** Generates an action of a transaction. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('create' as const, 'destroy' as const), child }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      child,
      slot: fc.nat(slotCount - 1),
      value: fc.constantFrom(0, 1, 0x80, 0x1_0000),
    }),
  },
);

/** Returns a directory for a test, and a function that writes files into it. */
export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'cairn-chain-'));
  return {
    path,
    write(name: string, content: Uint8Array | string | object): string {
      const file = join(path, name);
      const isRaw = typeof content === 'string' || content instanceof Uint8Array;
      writeFileSync(file, isRaw ? content : JSON.stringify(content));
      return file;
    },
    remove: () => rmSync(path, { recursive: true }),
  };
}
