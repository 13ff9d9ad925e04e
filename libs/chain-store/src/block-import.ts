import { bytesFromHex, type ChainSpec, decodeRlp, type Header, type Hex, headerFromRlp } from '@cairn/block-model';
import { BlockExecutor } from './block-executor.ts';
import type { ChainStore } from './chain-store.ts';
import { BlockRefusedError, GenesisError } from './errors.ts';
import { ImportState } from './import-state.ts';
import { type PendingBlock, writeBlocks } from './write-blocks.ts';

/** Blocks that are committed together: fewer waits for the disk, and each commit still holds whole blocks only. */
const batchBlocks = 64;
const batchEntries = 20_000;

/** Takes blocks in order and brings them into a chain: executed, verified, and committed some at a time. */
export class BlockImport {
  readonly #store: ChainStore;
  readonly #spec: ChainSpec;
  #session: Session;
  #pending: (PendingBlock & { readonly raw: Uint8Array })[] = [];
  #entries = 0;
  /** Blocks executed here, and their gas. */
  blocks = 0;
  gas = 0n;

  private constructor(store: ChainStore, spec: ChainSpec, session: Session) {
    this.#store = store;
    this.#spec = spec;
    this.#session = session;
  }

  static async open(store: ChainStore, spec: ChainSpec): Promise<BlockImport> {
    return new BlockImport(store, spec, await openSession(store, spec));
  }

  /**
   * Adds the block that follows. One that the chain has already is only compared.
   * @param raw RLP of the block
   * @throws BLOCK_REFUSED
   */
  async add(raw: Uint8Array): Promise<Header> {
    const header = headerIn(raw);
    const { next, hashByNumber } = this.#session;
    if (header.number < next) {
      const known = hashByNumber(header.number);
      if (known !== header.hash) throw new BlockRefusedError(header, `the chain has ${known} at this height`);
    } else if (header.number > next) {
      throw new BlockRefusedError(header, `the chain ends at block ${next - 1n}; blocks must follow each other`);
    } else await this.#execute(raw);
    return header;
  }

  async #execute(raw: Uint8Array): Promise<void> {
    const session = this.#session;
    const executed = await session.executor.execute(raw);
    const { header } = executed.block;
    const writes = session.state.takeWrites(header.number);
    this.#pending.push({ ...executed, writes, raw });
    this.#entries += writes.length;
    session.known.set(header.number, header.hash);
    session.next++;
    this.blocks++;
    this.gas += header.gasUsed;
    if (this.#pending.length >= batchBlocks || this.#entries >= batchEntries) await this.#commit();
  }

  /** Puts on the disk what was added. */
  async flush(): Promise<void> {
    while (this.#pending.length > 0) await this.#commit();
  }

  async #commit(): Promise<void> {
    const pending = this.#pending;
    const isWritten = await writeBlocks(this.#store.tables, pending);
    this.#pending = [];
    this.#entries = 0;
    // Anew from what is on the disk: the caches begin empty, and another process may have moved the head.
    this.#session = await openSession(this.#store, this.#spec);
    if (isWritten) return;
    // It did: these blocks are there already, or follow what it has written.
    for (const { raw, block } of pending) {
      this.blocks--;
      this.gas -= block.header.gasUsed;
      await this.add(raw);
    }
  }
}

/** Execution on top of one head. */
interface Session {
  readonly state: ImportState;
  readonly executor: BlockExecutor;
  /** Hashes of the blocks that are not on the disk yet. */
  readonly known: Map<bigint, Hex>;
  readonly hashByNumber: (number: bigint) => Hex | undefined;
  /** Height of the block that must follow. */
  next: bigint;
}

async function openSession(store: ChainStore, spec: ChainSpec): Promise<Session> {
  const { hash, number } = store.head;
  const parent = store.header(hash);
  if (parent === undefined) throw new GenesisError(`the store in ${store.directory} has no header of its own head`);
  const state = new ImportState(store.tables, number, bytesFromHex(parent.stateRoot));
  const known = new Map<bigint, Hex>();
  const hashByNumber = (height: bigint) => known.get(height) ?? store.hashByNumber(height);
  const executor = await BlockExecutor.create(spec, state, parent, hashByNumber);
  return { state, executor, known, hashByNumber, next: number + 1n };
}

function headerIn(raw: Uint8Array): Header {
  try {
    const item = decodeRlp('block', raw);
    const first = item instanceof Uint8Array ? undefined : item[0];
    if (first === undefined) throw new Error('it has no header');
    return headerFromRlp(first);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'it does not decode';
    throw new BlockRefusedError({ number: undefined, hash: undefined }, reason, error);
  }
}
