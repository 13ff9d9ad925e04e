import { statSync } from 'node:fs';
import {
  bytesFromBigint,
  bytesFromHex,
  decodeRlp,
  encodeBody,
  encodeRlp,
  type Header,
  type Hex,
  headerFromRlp,
  hexFromBytes,
} from '@cairn/block-model';
import { KECCAK256_RLP } from '@ethereumjs/util';
import { BlockExecutor, type ExecutedBlock } from './block-executor.ts';
import { readBlockFile } from './block-source.ts';
import { ChainStore } from './chain-store.ts';
import { BlockRefusedError, GenesisError } from './errors.ts';
import { buildGenesis, type Genesis, loadGenesis } from './genesis.ts';
import { ImportState, type TableWrite } from './import-state.ts';
import { heightKey, metaKeys } from './tables.ts';

/** How far an import is. */
export interface ImportProgress {
  readonly file: string;
  /** Height of the last block. */
  readonly number: bigint;
  /** Blocks executed by this call. */
  readonly blocks: number;
  /** Gas executed by this call. */
  readonly gas: bigint;
  /** Bytes of the file that are done, and its length. */
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface ImportOptions {
  readonly store: ChainStore;
  readonly name: string;
  /** A known network's name, or a file in geth's format. */
  readonly genesis: string;
  /** Files of blocks, in order. */
  readonly files: readonly string[];
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
}

/** Blocks that are committed together: fewer waits for the disk, and each commit still holds whole blocks only. */
const batchBlocks = 64;
const batchEntries = 20_000;

/**
 * Brings a chain up to the end of its files: genesis, then each block executed and verified. What is there already is
 * skipped after its hash was compared; a file that was imported whole is not even read again. Each commit holds whole
 * blocks, so a kill at any moment leaves a chain that the next call goes on from.
 * @returns number of blocks executed
 * @throws GENESIS_INVALID, SOURCE_INVALID, BLOCK_REFUSED (what came before stays), the reason of the signal
 */
export async function importChain(options: ImportOptions): Promise<number> {
  const genesis = await loadGenesis(options.name, options.genesis);
  await importGenesis(options.store, genesis);
  let executed = 0;
  for (const file of options.files) {
    const key = Buffer.from(`file:${file}`);
    const stamp = stampOf(file);
    if (stamp !== undefined && Buffer.from(options.store.tables.meta.get(key) ?? '').toString() === stamp) continue;
    executed += await importFile(options, genesis, file);
    if (stamp !== undefined)
      await options.store.tables.environment.transaction(() => options.store.tables.meta.put(key, Buffer.from(stamp)));
  }
  return executed;
}

function stampOf(file: string): string | undefined {
  try {
    const { size, mtimeMs } = statSync(file);
    return `${size}:${mtimeMs}`;
  } catch {
    return undefined;
  }
}

async function importGenesis(store: ChainStore, genesis: Genesis): Promise<void> {
  const state = new ImportState(store.tables, -1n, KECCAK256_RLP);
  const stored = store.spec;
  if (stored !== undefined) {
    if (JSON.stringify(stored) === JSON.stringify(genesis.spec)) return;
    throw new GenesisError(
      `the store in ${store.tables.environment.directory} holds chain ${stored.chainId} with other rules; use another name or directory`,
    );
  }
  const header = await buildGenesis(genesis, state);
  const writes = state.takeWrites(0n);
  const body = encodeRlp(header.withdrawalsRoot === undefined ? [[], []] : [[], [], []]);
  await store.tables.environment.transaction(() => {
    // Another process may have been faster.
    if (store.tables.meta.get(metaKeys.spec) !== undefined) return;
    writeAll(store, writes);
    writeBlock(store, { header, body, receipts: encodeRlp([]), totalDifficulty: header.difficulty, transactions: [] });
    store.tables.meta.put(metaKeys.spec, Buffer.from(JSON.stringify(genesis.spec)));
  });
}

/** Blocks executed and not yet on the disk. */
interface Batch {
  readonly blocks: ExecutedBlock[];
  readonly writes: TableWrite[];
}

async function importFile(options: ImportOptions, genesis: Genesis, file: string): Promise<number> {
  const { store, signal, onProgress } = options;
  const bytesTotal = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let session = await openSession(store, genesis);
  let batch: Batch = { blocks: [], writes: [] };
  let blocks = 0;
  let gas = 0n;
  const commit = async () => {
    const { blocks: done, writes } = batch;
    batch = { blocks: [], writes: [] };
    if (done.length === 0) return;
    await commitBatch(store, done, writes);
    // A new session reads what is on the disk now: its caches begin empty, and where another process was faster, it
    // goes on from that process's head.
    session = await openSession(store, genesis);
  };
  const executeNext = async (raw: Uint8Array, number: bigint) => {
    const executed = await session.executor.execute(raw);
    batch.blocks.push(executed);
    session.known.set(number, executed.block.header.hash);
    batch.writes.push(...session.state.takeWrites(number));
    session.next++;
    blocks++;
    gas += executed.block.header.gasUsed;
    if (batch.blocks.length >= batchBlocks || batch.writes.length >= batchEntries) await commit();
  };
  try {
    for await (const { raw, position } of readBlockFile(file)) {
      signal?.throwIfAborted();
      const header = headerIn(raw);
      if (header.number < session.next) checkKnown(store, batch, header);
      else if (header.number > session.next)
        throw new BlockRefusedError(
          header,
          `the chain ends at block ${session.next - 1n}; blocks must follow each other`,
        );
      else await executeNext(raw, header.number);
      onProgress?.({ file, number: header.number, blocks, gas, bytesDone: position, bytesTotal });
    }
  } finally {
    // What was found right before a refusal or a signal is kept.
    await commit();
  }
  return blocks;
}

async function openSession(store: ChainStore, genesis: Genesis) {
  const head = store.head;
  const parent = store.header(head.hash);
  if (parent === undefined)
    throw new GenesisError('the store has no header of its own head; remove its directory and import again');
  const state = new ImportState(store.tables, head.number, bytesFromHex(parent.stateRoot));
  const known = new Map<bigint, Hex>();
  const hashByNumber = (number: bigint) => known.get(number) ?? store.hashByNumber(number);
  const executor = await BlockExecutor.create(genesis.spec, state, parent, hashByNumber);
  return { state, executor, next: head.number + 1n, known };
}

function headerIn(raw: Uint8Array): Header {
  try {
    const item = decodeRlp('block', raw);
    const first = item instanceof Uint8Array ? undefined : item[0];
    if (first === undefined) throw new Error('it has no header');
    return headerFromRlp(first);
  } catch (error) {
    throw new BlockRefusedError(
      { number: undefined, hash: undefined },
      error instanceof Error ? error.message.replace(/\.$/, '') : 'it does not decode',
      error,
    );
  }
}

function checkKnown(store: ChainStore, batch: Batch, header: Header): void {
  const known =
    batch.blocks.find(({ block }) => block.header.number === header.number)?.block.header.hash ??
    store.hashByNumber(header.number);
  if (known === header.hash) return;
  throw new BlockRefusedError(header, `the chain has ${known} at this height`);
}

/** Writes whole blocks in one transaction; nothing when the chain has moved since they were executed. */
async function commitBatch(
  store: ChainStore,
  blocks: readonly ExecutedBlock[],
  writes: readonly TableWrite[],
): Promise<void> {
  try {
    await store.tables.environment.transaction(() => {
      const first = blocks[0]?.block.header;
      const head = store.tables.meta.get(metaKeys.head);
      if (!first || !head || hexFromBytes(head.subarray(0, 32)) !== first.parentHash) throw new HeadMovedError();
      writeAll(store, writes);
      let totalDifficulty = store.totalDifficulty(first.parentHash) ?? 0n;
      for (const { block, receipts } of blocks) {
        totalDifficulty += block.header.difficulty;
        const transactions = block.transactions.map(({ hash }) => hash);
        writeBlock(store, { header: block.header, body: encodeBody(block), receipts, totalDifficulty, transactions });
      }
    });
  } catch (error) {
    if (!(error instanceof HeadMovedError)) throw error;
  }
}

class HeadMovedError extends Error {}

function writeAll({ tables }: ChainStore, writes: readonly TableWrite[]): void {
  for (const { table, key, value } of writes) tables[table].put(key, value);
}

interface BlockWrite {
  readonly header: Header;
  readonly body: Uint8Array;
  readonly receipts: Uint8Array;
  readonly totalDifficulty: bigint;
  readonly transactions: readonly Hex[];
}

function writeBlock(
  { tables }: ChainStore,
  { header, body, receipts, totalDifficulty, transactions }: BlockWrite,
): void {
  const hash = bytesFromHex(header.hash);
  tables.headers.put(hash, header.raw);
  tables.bodies.put(hash, body);
  tables.receipts.put(hash, receipts);
  tables.difficulties.put(hash, totalDifficulty === 0n ? Uint8Array.of(0) : bytesFromBigint(totalDifficulty));
  tables.canonical.put(heightKey(header.number), hash);
  for (const [index, transaction] of transactions.entries()) {
    const place = Buffer.alloc(4);
    place.writeUInt32BE(index);
    tables.transactions.put(bytesFromHex(transaction), Buffer.concat([hash, place]));
  }
  tables.meta.put(metaKeys.head, Buffer.concat([hash, heightKey(header.number)]));
}
