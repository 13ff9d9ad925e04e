import {
  type Block,
  type BlockRunner,
  bytesFromHex,
  type ChainSpec,
  decodeBlock,
  encodeReceipt,
  encodeRlp,
  type Header,
  type Hex,
  hexFromBytes,
  type Log,
  type Receipt,
  verifyBlock,
} from '@cairn/block-model';
import { commonFromChainSpec, hardforkAt, terminalTotalDifficulty } from '@cairn/block-model/ethereumjs';
import { orderedTrieRoot } from '@cairn/trie';
import { createBlockHeaderFromRLP } from '@ethereumjs/block';
import { type Common, Hardfork } from '@ethereumjs/common';
import { BlockRefusedError } from './errors.ts';
import { type CheckedHeader, validateHeader } from './header-rules.ts';
import type { ImportState } from './import-state.ts';
import { type Ancestor, validateUncles } from './uncle-rules.ts';

/** A block that has been executed and found right. */
export interface ExecutedBlock {
  readonly block: Block;
  /** RLP list of the receipts in their consensus encoding. */
  readonly receipts: Uint8Array;
  /** All that are in the receipts, in order. */
  readonly logs: readonly Log[];
}

/** EIP-7934: 10 MiB less a margin of 2 MiB for what consensus clients put around it. */
const blockBytesMax = 8 * 1024 * 1024;

/** Finds the blocks below the one that is executed, those too that are not on the disk yet. */
export interface Ancestors {
  /** Hash of the ancestor at a height, for BLOCKHASH. */
  hashByNumber(number: bigint): Hex | undefined;
  block(hash: Hex): Ancestor | undefined;
}

export interface BlockExecutorOptions {
  readonly spec: ChainSpec;
  readonly state: ImportState;
  /** The block that the next one follows, and the sum of the difficulties up to it. */
  readonly parent: Header;
  readonly totalDifficulty: bigint;
  readonly ancestors: Ancestors;
  /** Executes the blocks. Default: @ethereumjs/vm. */
  readonly runner?: BlockRunner | undefined;
}

/** Has blocks executed and holds the results to what their headers say. */
export class BlockExecutor {
  readonly #spec: ChainSpec;
  readonly #state: ImportState;
  readonly #runner: BlockRunner | undefined;
  #reference: BlockRunner | undefined;
  readonly #common: Common;
  readonly #ancestors: Ancestors;
  readonly #terminalTotalDifficulty: bigint | undefined;
  #parent: CheckedHeader;
  /** Sum of the difficulties up to the parent. */
  #totalDifficulty: bigint;

  constructor({ spec, state, parent, totalDifficulty, ancestors, runner }: BlockExecutorOptions) {
    this.#spec = spec;
    this.#state = state;
    this.#runner = runner;
    this.#common = commonFromChainSpec(spec);
    this.#terminalTotalDifficulty = terminalTotalDifficulty(spec);
    this.#ancestors = ancestors;
    this.#parent = this.#checked(parent);
    this.#totalDifficulty = totalDifficulty;
  }

  /**
   * Executes the block that follows.
   * @throws BLOCK_REFUSED with number, hash and reason. The state must then be thrown away.
   */
  async execute(raw: Uint8Array): Promise<ExecutedBlock> {
    const block = decode(raw);
    const { header } = block;
    try {
      const { number, hash } = this.#parent.header;
      if (header.parentHash !== hash)
        throw new Error(`its parent is ${header.parentHash}, while block ${number} is ${hash}`);
      verifyBlock(block);
      const candidate = this.#checked(header);
      this.#validateMerge(header);
      validateHeader(candidate, this.#parent);
      validateUncles({
        block,
        ancestor: (ancestor) => this.#ancestors.block(ancestor),
        validate: (uncle, parent) => validateHeader(this.#checked(uncle), this.#checked(parent)),
      });
      if (candidate.reference.common.isActivatedEIP(7934) && raw.length > blockBytesMax)
        throw new Error(`it has ${raw.length} bytes, more than ${blockBytesMax}`);
      const runner = await this.#runnerFor(header);
      const outcome = await runner.run({
        spec: this.#spec,
        block,
        parent: this.#parent.header,
        state: this.#state.view(),
        roots: this.#state,
        blockHashes: (height) => this.#ancestors.hashByNumber(height),
      });
      const receipts = outcome.receipts.map(encodeReceipt);
      const logs = outcome.receipts.flatMap((receipt) => receipt.logs);
      const difference = differenceBetween(header, {
        gasUsed: outcome.receipts.at(-1)?.cumulativeGasUsed ?? 0n,
        receiptsRoot: hexFromBytes(orderedTrieRoot(receipts)),
        logsBloom: joinedBlooms(outcome.receipts),
        requestsHash: outcome.requestsHash,
        stateRoot: outcome.stateRoot,
      });
      if (difference !== undefined) throw new Error(difference);
      this.#parent = candidate;
      this.#totalDifficulty += header.difficulty;
      return { block, receipts: encodeRlp(receipts), logs };
    } catch (error) {
      throw new BlockRefusedError(header, reasonOf(error), error);
    }
  }

  /** The block that moved what The DAO had is not like others: accounts change in it without a transaction. */
  async #runnerFor({ number }: Header): Promise<BlockRunner> {
    const isDao = number === this.#common.hardforkBlock(Hardfork.Dao);
    return this.#runner !== undefined && !isDao ? this.#runner : await this.#referenceRunner();
  }

  /** @ethereumjs/vm, loaded where it is needed. */
  async #referenceRunner(): Promise<BlockRunner> {
    const { createVmBlockRunner } = await import('./vm-block-runner.ts');
    this.#reference ??= createVmBlockRunner(this.#state);
    return this.#reference;
  }

  /** Where the total difficulty decides, proof of stake begins with the first block above it (EIP-3675). @throws Error */
  #validateMerge({ difficulty }: Header): void {
    const limit = this.#terminalTotalDifficulty;
    if (limit === undefined || (difficulty === 0n) === this.#totalDifficulty >= limit) return;
    throw new Error(
      `its difficulty is ${difficulty}, while the total difficulty of its parent is ${this.#totalDifficulty} and proof of stake begins at ${limit}`,
    );
  }

  #checked(header: Header): CheckedHeader {
    this.#common.setHardfork(hardforkAt(this.#common, header));
    return { header, reference: createBlockHeaderFromRLP(header.raw, { common: this.#common, setHardfork: false }) };
  }
}

/** What execution gave is not what the header says. */
function differenceBetween(
  header: Header,
  got: Pick<Header, 'gasUsed' | 'receiptsRoot' | 'logsBloom' | 'requestsHash' | 'stateRoot'>,
): string | undefined {
  for (const field of ['gasUsed', 'receiptsRoot', 'logsBloom', 'requestsHash', 'stateRoot'] as const) {
    if (header[field] === got[field]) continue;
    const claim = field === 'logsBloom' ? 'differs' : `is ${header[field] ?? 'absent'}`;
    return `its ${field} ${claim}, its execution gives ${field === 'logsBloom' ? 'another' : (got[field] ?? 'none')}`;
  }
  return undefined;
}

/** The bloom of a block is all those of its receipts in one. */
function joinedBlooms(receipts: readonly Receipt[]): Hex {
  const bloom = new Uint8Array(256);
  for (const { logsBloom } of receipts)
    for (const [at, byte] of bytesFromHex(logsBloom).entries()) bloom[at] = (bloom[at] ?? 0) | byte;
  return hexFromBytes(bloom);
}

function decode(raw: Uint8Array): Block {
  try {
    return decodeBlock(raw);
  } catch (error) {
    throw new BlockRefusedError({ number: undefined, hash: undefined }, reasonOf(error), error);
  }
}

/** The first sentence of what is said; @ethereumjs appends a dump of the block. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/ \((vm hf|block (header )?number|tx type|error code).*$/s, '')
    .replace(/\.$/, '')
    .slice(0, 500);
}
