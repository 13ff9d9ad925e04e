import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesFromHex, CorruptBlockError, encodeRlp, type Header, type Hex } from '@cairn/block-model';
import { CID, keccak256 } from '@cairn/cid';
import { encodeRlpList } from '@cairn/rlp';
import * as dagCbor from '@ipld/dag-cbor';
import type { ChainStore } from '../chain-store.ts';
import { entriesInBatches } from './batches.ts';
import { CarFile, existsError, isFileError, writeError } from './car-file.ts';
import {
  type Manifest,
  rawCode,
  type Section,
  snapshotCid,
  snapshotFormat,
  snapshotLimits,
  snapshotVersion,
} from './manifest.ts';
import { type RecentSpan, recentRecords, recentSpan } from './recent-blocks.ts';
import { chunksOf } from './record-chunks.ts';
import { SnapshotError } from './snapshot-error.ts';
import { stateRecords } from './state-records.ts';

export interface SnapshotProgress {
  readonly section: Section;
  /** Units of the section: blocks, codes, accounts, or chunks. */
  readonly done: number;
  /** 0 when the number is unknown. */
  readonly total: number;
}

export interface SnapshotOptions {
  readonly store: ChainStore;
  /** Name of the network, for `restoreSnapshot`. */
  readonly network: string;
  /** File to create. */
  readonly file: string;
  /** States before that of the head. Default and maximum: 1,024, the depth of a reorg. */
  readonly states?: number | undefined;
  readonly onProgress?: (progress: SnapshotProgress) => void;
  readonly signal?: AbortSignal;
}

/** A written or restored snapshot. */
export interface SnapshotSummary {
  /** Newest block. Its hash is what a restore trusts. */
  readonly head: { readonly hash: Hex; readonly number: number };
  /** Height of the oldest state. */
  readonly base: number;
  /** CID of the manifest, from which every chunk can be reached. */
  readonly root: string;
  readonly chunks: number;
  /** Bytes of the file. */
  readonly bytes: number;
}

/** Attempts to read the newest blocks while the chain grows quickly. */
const attemptsMax = 5;

/**
 * Writes all blocks of a chain, and its states since `snapshotLimits.recentBlocksMax` blocks before the head, to one
 * file: a CAR of gzipped RLP chunks. Other processes may write the chain meanwhile. The file gets its name when it is complete.
 * @throws SNAPSHOT_EXISTS, SNAPSHOT_WRITE_FAILED, SNAPSHOT_UNAVAILABLE, BLOCK_CORRUPT, the reason of the signal
 */
export async function writeSnapshot(options: SnapshotOptions): Promise<SnapshotSummary> {
  const { store, file } = options;
  if (existsSync(file)) throw existsError(file);
  if (store.headOrNone === undefined)
    throw new SnapshotError('SNAPSHOT_UNAVAILABLE', `The chain in ${store.directory} has no block.`);
  const car = await CarFile.create(file);
  try {
    return await new SnapshotWriter(options, car).write();
  } catch (error) {
    await car.discard();
    throw isFileError(error) ? writeError(file, error) : error;
  }
}

class SnapshotWriter {
  readonly #options: SnapshotOptions;
  readonly #store: ChainStore;
  readonly #car: CarFile;
  readonly #links: CID[] = [];
  readonly #counts: Record<Section, number> = { blocks: 0, codes: 0, state: 0, recent: 0 };

  constructor(options: SnapshotOptions, car: CarFile) {
    this.#options = options;
    this.#store = options.store;
    this.#car = car;
  }

  async write(): Promise<SnapshotSummary> {
    // Read first, since a growing chain forgets changes. Older states and blocks never change.
    const { span, spool } = await this.#spoolRecent();
    const { base } = span;
    try {
      await this.#section('blocks', chunksOf(this.#blocks(base)));
      await this.#section('codes', chunksOf(this.#codes()));
      const onAccount = (done: number, total: number) => this.#report('state', done, total);
      await this.#section('state', chunksOf(stateRecords(this.#store.tables, base, this.#car.directory, onAccount)));
      await this.#section('recent', spool.read());
    } finally {
      await spool.close();
    }
    const head = { hash: span.blocks.at(-1) ?? base.hash, number: Number(base.number) + span.blocks.length };
    const root = await this.#finish(head, Number(base.number));
    const chunks = this.#links.length;
    return { head, base: Number(base.number), root: root.toString(), chunks, bytes: this.#car.bytes };
  }

  async #finish(head: Manifest['head'], base: number): Promise<CID> {
    const index: CID[] = [];
    for (let at = 0; at < this.#links.length; at += snapshotLimits.linksMax)
      index.push(await this.#appendCbor(this.#links.slice(at, at + snapshotLimits.linksMax)));
    const manifest: Manifest = {
      format: snapshotFormat,
      version: snapshotVersion,
      network: this.#options.network,
      chainId: this.#store.chainId.toString(),
      head,
      base,
      sections: this.#counts,
      index,
    };
    const root = await this.#appendCbor(manifest);
    await this.#car.finish(root);
    return root;
  }

  async #appendCbor(value: unknown): Promise<CID> {
    const bytes = dagCbor.encode(value);
    const cid = snapshotCid(dagCbor.code, bytes);
    await this.#car.append(cid, bytes);
    return cid;
  }

  async #section(section: Section, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) {
      this.#options.signal?.throwIfAborted();
      const cid = snapshotCid(rawCode, chunk);
      await this.#car.append(cid, chunk);
      this.#links.push(cid);
      this.#counts[section]++;
    }
  }

  #report(section: Section, done: number, total: number): void {
    this.#options.signal?.throwIfAborted();
    this.#options.onProgress?.({ section, done, total });
  }

  /** Yields `[header, body, receipts]` of each block from the genesis to the base. */
  async *#blocks(base: Header): AsyncGenerator<Uint8Array> {
    const { tables } = this.#store;
    let parentHash: Hex | undefined;
    for (let number = 0n; number <= base.number; number++) {
      if (number % 64n === 0n) await nextTurn();
      const hash = this.#store.hashByNumber(number);
      const block = hash && this.#store.block(hash);
      const isLinked = block && (parentHash === undefined || block.header.parentHash === parentHash);
      const isRead = isLinked && this.#store.receipts(hash) !== undefined;
      if (!isRead)
        throw new CorruptBlockError(hash ?? `at height ${number}`, 'header', 'the next block', 'another or none');
      const key = bytesFromHex(hash);
      const content = [tables.bodies.get(key), tables.receipts.get(key)].map((bytes) => bytes ?? new Uint8Array(0));
      yield encodeRlpList([block.header.raw, ...content]);
      parentHash = hash;
      this.#report('blocks', Number(number) + 1, Number(base.number) + 1);
    }
    if (parentHash !== base.hash) throw new CorruptBlockError(base.hash, 'hash', base.hash, parentHash ?? 'nothing');
  }

  async *#codes(): AsyncGenerator<Uint8Array> {
    let done = 0;
    for await (const { key, value } of entriesInBatches(this.#store.tables.codes)) {
      if (Buffer.compare(keccak256(value), key) !== 0)
        throw new CorruptBlockError('of the state', 'code', Buffer.from(key).toString('hex'), 'other bytes');
      yield encodeRlp(value);
      this.#report('codes', ++done, 0);
    }
  }

  async #spoolRecent(): Promise<{ readonly span: RecentSpan; readonly spool: ChunkSpool }> {
    for (let attempt = 1; ; attempt++) {
      const spool = await ChunkSpool.create(join(this.#car.directory, `recent-${attempt}`));
      // Another process may have moved the head.
      this.#store.tables.environment.refresh();
      const span = recentSpan(this.#store, this.#options.states);
      try {
        for await (const chunk of chunksOf(recentRecords(this.#store, span))) {
          this.#options.signal?.throwIfAborted();
          await spool.append(chunk);
        }
        return { span, spool };
      } catch (error) {
        await spool.close();
        const hasMoved = this.#store.head.hash !== span.blocks.at(-1);
        if (!hasMoved || attempt === attemptsMax || !(error instanceof CorruptBlockError)) throw error;
      }
    }
  }
}

/** Chunks in a temporary file. */
class ChunkSpool {
  readonly #file: FileHandle;
  readonly #lengths: number[] = [];

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<ChunkSpool> {
    return new ChunkSpool(await open(path, 'wx+'));
  }

  async append(chunk: Uint8Array): Promise<void> {
    this.#lengths.push(chunk.length);
    await this.#file.appendFile(chunk);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    let position = 0;
    for (const length of this.#lengths) {
      const chunk = Buffer.alloc(length);
      await this.#file.read(chunk, 0, length, position);
      position += length;
      yield chunk;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
