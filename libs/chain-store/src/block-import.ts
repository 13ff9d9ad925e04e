// Hot path of imports, measured by tools/bench/empty-blocks.mjs: a commit ends beside the execution of the next blocks.
// block-import-batches.spec.ts compares the result with an import that commits each block.
import {
  type BlockRunner,
  bytesFromHex,
  type ChainSpec,
  decodeBlockHeader,
  type Header,
  type Hex,
} from '@cairn/block-model';
import { BlockExecutor } from './block-executor.ts';
import { branchOf } from './canonical-chain.ts';
import type { ChainStore } from './chain-store.ts';
import { BlockRefusedError, GenesisError } from './errors.ts';
import { ImportState } from './import-state.ts';
import type { Ancestor } from './uncle-rules.ts';
import { branchDepthMax, type PendingBlock, writeBlocks } from './write-blocks.ts';

/** Bounds of a commit. Larger commits sync the disk less often; the last commit is repeated after a kill. */
const batchLimits = {
  blocksFirst: 64, // Doubled with each commit, so that a short import also makes progress before its end.
  blocks: 512, // Imports of empty blocks need a tenth less CPU time than with 64.
} as const;

/** Bounds of the commits between two renewals of the state in memory. Commits before the last one end beside the execution. */
const sessionLimits = {
  entries: 20_000, // One transaction of them blocks the event loop for about 100 ms.
  bytes: 16 * 1024 * 1024, // Blocks, code and trie nodes in memory.
  ms: 5_000, // Blocks that execute slowly have few entries.
} as const;

/** Imports blocks, each after its parent: executes, verifies and commits them in batches of whole blocks. */
export class BlockImport {
  readonly #store: ChainStore;
  readonly #spec: ChainSpec;
  readonly #runner: BlockRunner;
  #session: Session;
  #pending: PendingBlock[] = [];
  #blocksMax: number = batchLimits.blocksFirst;
  /** Commit of the batch before, beside which blocks are executed. After a failure it stays rejected, and no batch follows. */
  #writing: Promise<void> = Promise.resolve();
  /** Number of blocks executed by this import. */
  blocks = 0;
  gas = 0n;

  private constructor(store: ChainStore, spec: ChainSpec, session: Session, runner: BlockRunner) {
    this.#runner = runner;
    this.#store = store;
    this.#spec = spec;
    this.#session = session;
  }

  static open(store: ChainStore, spec: ChainSpec, runner: BlockRunner): BlockImport {
    return new BlockImport(store, spec, openSession(store, spec, headOfStore(store), runner), runner);
  }

  /**
   * Adds a block whose parent is stored, on the canonical chain or a branch. A stored block is skipped.
   * @param raw RLP of the block
   * @throws BLOCK_REFUSED
   */
  async add(raw: Uint8Array): Promise<Header> {
    const header = headerIn(raw);
    if (this.#session.made.has(header.hash) || this.#store.header(header.hash)) return header;
    try {
      if (header.parentHash !== this.#session.tip.hash) await this.#moveTo(header);
      await this.#execute(raw, header);
    } catch (error) {
      // No commit is in progress after an error.
      await this.#writing.catch(() => {});
      throw error;
    }
    return header;
  }

  /** Makes the parent of a block the tip of the execution. */
  async #moveTo(header: Header): Promise<void> {
    await this.flush();
    const parent = this.#store.header(header.parentHash);
    if (parent === undefined) {
      const { number, hash } = this.#store.head;
      throw new BlockRefusedError(
        header,
        `its parent ${header.parentHash} is not stored; the chain ends at block ${number} (${hash})`,
      );
    }
    const finalized = this.#store.finalizedOrNone;
    if (finalized !== undefined && parent.number < finalized.number)
      throw new BlockRefusedError(header, `it leaves the chain below the finalized block ${finalized.number}`);
    if (parent.number + branchDepthMax < this.#store.head.number)
      throw new BlockRefusedError(header, `it leaves the chain more than ${branchDepthMax} blocks below its head`);
    this.#session = openSession(this.#store, this.#spec, parent, this.#runner);
  }

  async #execute(raw: Uint8Array, known: Header): Promise<void> {
    const session = this.#session;
    session.startedAt ??= performance.now();
    const executed = await session.executor.execute(raw, known);
    const { header } = executed.block;
    const writes = session.state.takeWrites();
    this.#pending.push({ ...executed, writes });
    session.entries += writes.changes.length + writes.content.length;
    session.bytes += writes.content.reduce((sum, { value }) => sum + value.length, raw.length);
    session.made.set(header.hash, { header, uncles: executed.block.uncles });
    session.hashes.set(header.number, header.hash);
    session.tip = header;
    this.blocks++;
    this.gas += header.gasUsed;
    const isSessionFull = isFull(session);
    if (!isSessionFull && this.#pending.length < this.#blocksMax) return;
    this.#blocksMax = Math.min(batchLimits.blocks, 2 * this.#blocksMax);
    if (isSessionFull) await this.flush();
    else await this.#beginWrite();
  }

  /** Commits the added blocks to disk. @throws the error of an earlier commit too */
  async flush(): Promise<void> {
    await this.#beginWrite();
    if (this.#session.startedAt === undefined) return;
    await this.#writing;
    // The next execution starts from the stored blocks with empty caches.
    this.#session = openSession(this.#store, this.#spec, this.#session.tip, this.#runner);
  }

  /** Waits for a commit in progress without an error. Blocks that are not in a commit are dropped: add no further ones. */
  async settle(): Promise<void> {
    this.#pending = [];
    await this.#writing.catch(() => {});
  }

  /** Begins the commit of the added blocks, after the one before. @throws the error of the one before */
  async #beginWrite(): Promise<void> {
    await this.#writing;
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    // Execution resumes when only the sync of the disk is left, which needs no turn of the event loop.
    await new Promise<void>((resolve) => {
      this.#writing = this.#write(pending, resolve);
      // Reported to the next caller that waits for it.
      this.#writing.catch(resolve);
    });
  }

  async #write(pending: readonly PendingBlock[], onWritten: () => void): Promise<void> {
    const gas = pending.reduce((sum, { block }) => sum + block.header.gasUsed, 0n);
    const written = await writeBlocks(this.#store.tables, pending, onWritten);
    // Another process may have written some of these blocks.
    this.blocks -= pending.length - written.blocks;
    this.gas -= gas - written.gas;
  }
}

/** Execution on top of one block. */
interface Session {
  readonly state: ImportState;
  readonly executor: BlockExecutor;
  /** Blocks that are not on disk yet. */
  readonly made: Map<Hex, Ancestor>;
  /** Hashes of ancestors of the next block that are not on the canonical chain. */
  readonly hashes: Map<bigint, Hex>;
  /** Parent of the next block. */
  tip: Header;
  /** Table entries and bytes of its blocks: see {@link sessionLimits}. */
  entries: number;
  bytes: number;
  /** Start of the first block, by performance.now(). */
  startedAt: number | undefined;
}

function isFull({ entries, bytes, startedAt }: Session): boolean {
  if (entries >= sessionLimits.entries || bytes >= sessionLimits.bytes) return true;
  return startedAt !== undefined && performance.now() - startedAt >= sessionLimits.ms;
}

function openSession(store: ChainStore, spec: ChainSpec, tip: Header, runner: BlockRunner): Session {
  const base = store.stateAt(tip.hash);
  if (base === undefined) throw new BlockRefusedError(tip, 'the state after it is not stored');
  const state = new ImportState(store.tables, base, bytesFromHex(tip.stateRoot));
  const { blocks } = branchOf(store.tables, tip.hash);
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash] as const));
  const made = new Map<Hex, Ancestor>();
  const ancestors = {
    hashByNumber: (height: bigint) => hashes.get(height) ?? store.hashByNumber(height),
    block: (hash: Hex) => made.get(hash) ?? store.block(hash),
  };
  const totalDifficulty = store.totalDifficulty(tip.hash) ?? tip.difficulty;
  const executor = new BlockExecutor({ spec, state, parent: tip, totalDifficulty, ancestors, runner });
  return { state, executor, made, hashes, tip, entries: 0, bytes: 0, startedAt: undefined };
}

function headOfStore(store: ChainStore): Header {
  const header = store.header(store.head.hash);
  if (header === undefined) throw new GenesisError(`the store in ${store.directory} contains no header for its head`);
  return header;
}

function headerIn(raw: Uint8Array): Header {
  try {
    return decodeBlockHeader(raw);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'it does not decode';
    throw new BlockRefusedError({ number: undefined, hash: undefined }, reason, error);
  }
}
