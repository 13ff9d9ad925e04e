import { statSync } from 'node:fs';
import { type BlockRunner, type ChainSpec, encodeRlp, type Hex } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { emptyTrieRoot } from '@cairn/trie';
import { BlockImport } from './block-import.ts';
import { readBlockFile } from './block-source.ts';
import { extendChain } from './canonical-chain.ts';
import type { ChainStore } from './chain-store.ts';
import { GenesisError } from './errors.ts';
import { FlatState } from './flat-state.ts';
import { buildGenesis, type Genesis, genesisName, loadGenesis } from './genesis.ts';
import { ImportState } from './import-state.ts';
import { metaKeys } from './tables.ts';
import { writeContent } from './write-blocks.ts';

/** Progress of an import. */
export interface ImportProgress {
  readonly file: string;
  /** Height of the last block. */
  readonly number: bigint;
  /** Blocks executed by this call. */
  readonly blocks: number;
  /** Gas executed by this call. */
  readonly gas: bigint;
  /** Imported bytes of the file. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface ImportOptions {
  readonly store: ChainStore;
  readonly name: string;
  /** Name of a known network, or a file in geth's format. */
  readonly genesis: string;
  /** Files of blocks, in order. */
  readonly files: readonly string[];
  /** Blocks that are safe and final once the files are imported. */
  readonly safe?: Hex | undefined;
  readonly finalized?: Hex | undefined;
  readonly runner: BlockRunner;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Imports a genesis and files of blocks; executes and verifies each block. Stored blocks are skipped after a comparison of
 * hashes, and a completely imported file is not read again. A chain from a snapshot needs no files. Each commit contains whole blocks, so the next call resumes after
 * a kill at any moment.
 * @returns number of executed blocks
 * @throws GENESIS_INVALID, SOURCE_INVALID, BLOCK_REFUSED (earlier blocks stay), the reason of the signal
 */
export async function importChain(options: ImportOptions): Promise<number> {
  const genesis = await loadGenesis(options.name, options.genesis);
  await importGenesis(options.store, genesis);
  let executed = 0;
  for (const file of options.files) {
    const key = fileKey(file);
    const stamp = stampOf(file);
    // The blocks of a restored chain came without their files.
    if (stamp === undefined && options.store.tables.meta.get(metaKeys.restore) !== undefined) continue;
    if (stamp !== undefined && Buffer.from(options.store.tables.meta.get(key) ?? '').toString() === stamp) continue;
    executed += await importFile(options, genesis.spec, file);
    if (stamp !== undefined)
      await options.store.tables.environment.transaction(() => options.store.tables.meta.put(key, Buffer.from(stamp)));
  }
  await setFinality(options);
  return executed;
}

async function setFinality({ store, safe, finalized }: ImportOptions): Promise<void> {
  const news = {
    ...(safe && store.blockByTag('safe').hash !== safe && { safe }),
    ...(finalized && store.blockByTag('finalized').hash !== finalized && { finalized }),
  };
  if (Object.keys(news).length > 0) await store.setForkChoice(news);
}

function stampOf(file: string): string | undefined {
  try {
    const { size, mtimeMs } = statSync(file);
    return `${size}:${mtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Returns the key of a file, a hash, since a path may be longer than a key. */
function fileKey(file: string): Buffer {
  return Buffer.concat([Buffer.from('file:'), keccak256(Buffer.from(file))]);
}

async function importGenesis(store: ChainStore, genesis: Genesis): Promise<void> {
  const { tables } = store;
  const name = genesisName(genesis);
  if (store.headOrNone === undefined) {
    const state = new ImportState(tables, new FlatState(tables, -1n), emptyTrieRoot);
    const header = await buildGenesis(genesis, state);
    const writes = state.takeWrites();
    const body = encodeRlp(header.withdrawalsRoot === undefined ? [[], []] : [[], [], []]);
    await tables.environment.transaction(() => {
      // Another process may have written the genesis.
      if (tables.meta.get(metaKeys.spec) !== undefined) return;
      writeContent(tables, { header, body, receipts: encodeRlp([]), totalDifficulty: header.difficulty, writes });
      // Passed on, since the stored form of a large genesis exceeds the limits of decoding.
      extendChain(tables, header, { changes: writes.changes, transactions: [], logs: [] });
      tables.meta.put(metaKeys.spec, Buffer.from(JSON.stringify(genesis.spec)));
      tables.meta.put(metaKeys.genesis, name);
    });
  }
  if (Buffer.from(name).equals(tables.meta.get(metaKeys.genesis) ?? Buffer.alloc(0))) return;
  throw new GenesisError(
    `the store in ${store.directory} was made from another one, of chain ${store.chainId}, with other rules or accounts`,
  );
}

async function importFile(
  { store, runner, signal, onProgress }: ImportOptions,
  spec: ChainSpec,
  file: string,
): Promise<number> {
  const bytesTotal = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const target = BlockImport.open(store, spec, runner);
  try {
    for await (const { raw, position } of readBlockFile(file)) {
      signal?.throwIfAborted();
      const { number } = await target.add(raw);
      const { blocks, gas } = target;
      onProgress?.({ file, number, blocks, gas, bytesDone: position, bytesTotal });
    }
  } finally {
    // Blocks that were valid before a refusal or an abort are kept.
    await target.flush();
  }
  return target.blocks;
}
