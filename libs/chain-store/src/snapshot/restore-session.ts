import { type Hex, hexFromBytes } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { StoreError } from '@cairn/embedded-store';
import { BlockImport } from '../block-import.ts';
import type { ChainStore } from '../chain-store.ts';
import { type Genesis, genesisName } from '../genesis.ts';
import { heightKey, metaKeys, type Tables } from '../tables.ts';
import { BlockLoader, type BlockLoaderState } from './block-loader.ts';
import type { Section } from './manifest.ts';
import { recordsOf, stringOf } from './record-chunks.ts';
import { ReplayRunner } from './replay-runner.ts';
import { invalidSnapshot, SnapshotError } from './snapshot-error.ts';
import type { SnapshotFile } from './snapshot-file.ts';
import { StateLoader, type StateLoaderState } from './state-loader.ts';
import type { SnapshotProgress } from './write-snapshot.ts';

export interface RestoreSessionOptions {
  /** Store that contains nothing, or what an earlier session committed. */
  readonly store: ChainStore;
  readonly file: SnapshotFile;
  readonly genesis: Genesis;
  readonly genesisHash: Hex;
  readonly onProgress: ((progress: SnapshotProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Progress in the store, written with the content that it describes. */
interface Progress {
  /** CID of the snapshot. */
  readonly root: string;
  /** Number of completed chunks. */
  readonly chunks: number;
  readonly blocks?: BlockLoaderState | undefined;
  readonly state?: StateLoaderState | undefined;
}

/** Entries or bytes of one commit: bounds memory, and the work that a kill repeats. */
const commitWrites = 20_000;
const commitBytes = 16 * 1024 * 1024;

/** Reads the chunks of a snapshot in order, verifies and stores them. Each commit contains the progress. */
export class RestoreSession {
  readonly #options: RestoreSessionOptions;
  readonly #tables: Tables;
  readonly #file: SnapshotFile;
  #progress: Progress;
  /** Stored form of the progress. */
  #stored: Uint8Array | undefined;
  #writes: (() => void)[] = [];
  #bytes = 0;

  constructor(options: RestoreSessionOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#tables = options.store.tables;
    this.#progress = { root: options.file.root, chunks: 0 };
  }

  /** Stores what is missing. @throws SNAPSHOT_INVALID, RESTORE_DIFFERS, errors of the store, the reason of the signal */
  async run(): Promise<void> {
    this.#resume();
    const { base } = this.#file.manifest;
    const blocks = new BlockLoader(this.#tables, this.#options.genesisHash, this.#progress.blocks);
    await this.#section(
      'blocks',
      (record) => this.#write(blocks.add(record), record),
      () => ({ blocks: blocks.state }),
    );
    await this.#section(
      'codes',
      (record) => this.#writeCode(stringOf(record), record),
      () => ({}),
    );
    if (blocks.number !== BigInt(base))
      throw invalidSnapshot(
        this.#file.path,
        `its blocks end at ${blocks.number}, while its oldest state is of block ${base}`,
      );
    await this.#restoreState();
    await this.#restoreRecent();
    await this.#complete();
  }

  #resume(): void {
    this.#tables.environment.refresh();
    this.#stored = this.#tables.meta.get(metaKeys.restore);
    if (this.#stored === undefined) return;
    const progress = JSON.parse(Buffer.from(this.#stored).toString()) as Progress;
    if (progress.root !== this.#file.root)
      throw new SnapshotError(
        'RESTORE_DIFFERS',
        `${this.#options.store.directory} contains a stopped restore of the snapshot ${progress.root}, not of ${this.#file.root}.`,
      );
    this.#progress = progress;
  }

  /** Reads the remaining chunks of a section; `take` receives each record, `state` is stored with each commit. */
  async #section(section: Section, take: (record: Uint8Array) => void, state: () => Partial<Progress>): Promise<void> {
    const { from, to } = this.#file.range(section);
    for (let chunk = Math.max(from, this.#progress.chunks); chunk < to; chunk++) {
      await this.#eachRecord(section, chunk, async (record) => take(record));
      const isLast = chunk === to - 1;
      if (isLast || this.#writes.length >= commitWrites || this.#bytes >= commitBytes)
        await this.#commit({ ...state(), chunks: chunk + 1 });
      this.#options.onProgress?.({ section, done: chunk + 1 - from, total: to - from });
    }
  }

  /** Passes the records of a chunk to `take`; errors name the chunk. */
  async #eachRecord(section: Section, chunk: number, take: (record: Uint8Array) => Promise<void>): Promise<void> {
    const bytes = await this.#file.read(chunk);
    try {
      for (const record of await recordsOf(bytes)) {
        this.#options.signal?.throwIfAborted();
        await take(record);
      }
    } catch (error) {
      throw this.#refusal(`chunk ${chunk} (${section}) at byte ${this.#file.offsetOf(chunk)} is not valid`, error);
    }
  }

  /** Returns errors of the store and of the signal unchanged; any other error is a fault of the content. */
  #refusal(fault: string, error: unknown): unknown {
    const { signal } = this.#options;
    if (signal?.aborted) return signal.reason;
    if (error instanceof StoreError || error instanceof SnapshotError) return error;
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    return invalidSnapshot(this.#file.path, `${fault}: ${reason}`, error);
  }

  #write(write: () => void, record: Uint8Array): void {
    this.#writes.push(write);
    this.#bytes += record.length;
  }

  #writeCode(code: Uint8Array, record: Uint8Array): void {
    const copy = Uint8Array.from(code);
    const hash = keccak256(copy);
    this.#write(() => this.#tables.codes.put(hash, copy), record);
  }

  async #restoreState(): Promise<void> {
    const { to } = this.#file.range('state');
    if (this.#isStateComplete) return;
    const { base, head } = this.#file.manifest;
    const state = new StateLoader(this.#tables, BigInt(base), this.#progress.state);
    const take = (record: Uint8Array) => {
      state.add(record);
      this.#takeEntries(state);
    };
    await this.#section('state', take, () => ({ state: state.state }));
    const root = this.#rootOf(state);
    this.#takeEntries(state);
    const { store } = this.#options;
    const header = store.header(store.head.hash);
    if (header?.stateRoot !== root)
      throw invalidSnapshot(
        this.#file.path,
        `its accounts have the state root ${root}, while block ${base} has ${header?.stateRoot} (head ${head.hash})`,
      );
    this.#writes.push(() => this.#tables.meta.put(metaKeys.stateFrom, heightKey(BigInt(base))));
    await this.#commit({ chunks: to });
  }

  /** The last account ends with the state, so that its faults appear only here. */
  #rootOf(state: StateLoader): string {
    try {
      return hexFromBytes(state.root());
    } catch (error) {
      throw this.#refusal('its last account is invalid', error);
    }
  }

  get #isStateComplete(): boolean {
    return this.#tables.meta.get(metaKeys.stateFrom) !== undefined;
  }

  #takeEntries(state: StateLoader): void {
    for (const { table, key, value } of state.takeEntries()) {
      this.#writes.push(() => this.#tables[table].put(key, value));
      this.#bytes += key.length + value.length;
    }
  }

  /** Imports the newest blocks with their recorded results. The importer skips blocks that an earlier session stored. */
  async #restoreRecent(): Promise<void> {
    const { store, genesis } = this.#options;
    const { from, to } = this.#file.range('recent');
    const runner = new ReplayRunner(this.#tables.codes);
    const blocks = this.#openImport(store, genesis, runner);
    try {
      for (let chunk = from; chunk < to; chunk++) {
        await this.#eachRecord('recent', chunk, async (record) => void (await blocks.add(runner.take(record))));
        this.#options.onProgress?.({ section: 'recent', done: chunk + 1 - from, total: to - from });
      }
      await blocks.flush();
    } finally {
      await blocks.settle();
    }
  }

  #openImport(store: ChainStore, { spec }: Genesis, runner: ReplayRunner): BlockImport {
    try {
      return BlockImport.open(store, spec, runner);
    } catch (error) {
      throw this.#refusal(`block ${store.head.number} is not valid`, error);
    }
  }

  async #complete(): Promise<void> {
    const { store, genesis } = this.#options;
    const { head } = this.#file.manifest;
    const found = store.head;
    if (found.hash !== head.hash || found.number !== BigInt(head.number))
      throw invalidSnapshot(
        this.#file.path,
        `its blocks end with block ${found.number} (${found.hash}), not with its head ${head.number} (${head.hash})`,
      );
    this.#writes.push(() => {
      this.#tables.meta.put(metaKeys.spec, Buffer.from(JSON.stringify(genesis.spec)));
      this.#tables.meta.put(metaKeys.genesis, genesisName(genesis));
    });
    await this.#commit({ chunks: this.#file.chunks });
  }

  /** Writes the pending entries together with the progress. */
  async #commit(news: Omit<Progress, 'root'>): Promise<void> {
    const progress: Progress = { root: this.#progress.root, blocks: this.#progress.blocks, ...news };
    const stored = Buffer.from(JSON.stringify(progress));
    const writes = this.#writes;
    this.#writes = [];
    this.#bytes = 0;
    await this.#tables.environment.transaction(() => {
      const before = this.#tables.meta.get(metaKeys.restore);
      if (Buffer.compare(before ?? Buffer.alloc(0), this.#stored ?? Buffer.alloc(0)) !== 0)
        throw new SnapshotError(
          'RESTORE_DIFFERS',
          `Another process is restoring into ${this.#options.store.directory}.`,
        );
      for (const write of writes) write();
      this.#tables.meta.put(metaKeys.restore, stored);
    });
    this.#progress = progress;
    this.#stored = stored;
  }
}
