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
  terminalTotalDifficulty,
  verifyBlock,
} from '@cairn/block-model';
import { orderedTrieRoot } from '@cairn/trie';
import { BlockRefusedError } from './errors.ts';
import { type CheckedHeader, HeaderRules } from './header-rules.ts';
import type { ImportState } from './import-state.ts';
import { type Ancestor, validateUncles } from './uncle-rules.ts';

/** An executed block whose results match its header. */
export interface ExecutedBlock {
  readonly block: Block;
  /** RLP list of receipts in consensus encoding. */
  readonly receipts: Uint8Array;
  /** Logs of all receipts, in order. */
  readonly logs: readonly Log[];
}

/** EIP-7934: 10 MiB minus a margin of 2 MiB for the enclosing consensus block. */
const blockBytesMax = 8 * 1024 * 1024;

/** Finds ancestors of the executed block, including blocks that are not on disk yet. */
export interface Ancestors {
  /** Returns the hash of the ancestor at a height, for BLOCKHASH. */
  hashByNumber(number: bigint): Hex | undefined;
  block(hash: Hex): Ancestor | undefined;
}

export interface BlockExecutorOptions {
  readonly spec: ChainSpec;
  readonly state: ImportState;
  /** Parent of the next block. */
  readonly parent: Header;
  /** Sum of the difficulties up to and including the parent. */
  readonly totalDifficulty: bigint;
  readonly ancestors: Ancestors;
  readonly runner: BlockRunner;
}

/** Executes blocks and verifies the results against their headers. */
export class BlockExecutor {
  readonly #spec: ChainSpec;
  readonly #state: ImportState;
  readonly #runner: BlockRunner;
  readonly #rules: HeaderRules;
  readonly #ancestors: Ancestors;
  readonly #terminalTotalDifficulty: bigint | undefined;
  #parent: CheckedHeader;
  /** Sum of the difficulties up to and including the parent. */
  #totalDifficulty: bigint;

  constructor({ spec, state, parent, totalDifficulty, ancestors, runner }: BlockExecutorOptions) {
    this.#spec = spec;
    this.#state = state;
    this.#runner = runner;
    this.#rules = new HeaderRules(spec);
    this.#terminalTotalDifficulty = terminalTotalDifficulty(spec);
    this.#ancestors = ancestors;
    this.#parent = this.#rules.checked(parent);
    this.#totalDifficulty = totalDifficulty;
  }

  /**
   * Executes the next block.
   * @param known its header, if it was read before
   * @throws BLOCK_REFUSED with number, hash and reason; the state must not be used afterwards
   */
  async execute(raw: Uint8Array, known?: Header): Promise<ExecutedBlock> {
    const block = decode(raw, known);
    const { header } = block;
    try {
      const { number, hash } = this.#parent.header;
      if (header.parentHash !== hash)
        throw new Error(`its parent is ${header.parentHash}, while block ${number} is ${hash}`);
      verifyBlock(block);
      const candidate = this.#rules.checked(header);
      this.#validateMerge(header);
      this.#rules.validate(candidate, this.#parent);
      validateUncles({
        block,
        ancestor: (ancestor) => this.#ancestors.block(ancestor),
        validate: (uncle, parent) => this.#rules.validate(this.#rules.checked(uncle), this.#rules.checked(parent)),
      });
      if (candidate.forks.has('osaka') && raw.length > blockBytesMax)
        throw new Error(`it has ${raw.length} bytes, more than ${blockBytesMax}`);
      const outcome = await this.#runner.run({
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

  /** Checks that proof of stake begins with the first block after the terminal total difficulty (EIP-3675). @throws Error */
  #validateMerge({ difficulty }: Header): void {
    const limit = this.#terminalTotalDifficulty;
    if (limit === undefined || (difficulty === 0n) === this.#totalDifficulty >= limit) return;
    throw new Error(
      `its difficulty is ${difficulty}, while the total difficulty of its parent is ${this.#totalDifficulty} and proof of stake begins at ${limit}`,
    );
  }
}

/** Describes the first field whose computed value differs from the header. */
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

/** Joins the bloom filters of receipts to the filter of the block. */
function joinedBlooms(receipts: readonly Receipt[]): Hex {
  const bloom = new Uint8Array(256);
  for (const { logsBloom } of receipts)
    for (const [at, byte] of bytesFromHex(logsBloom).entries()) bloom[at] = (bloom[at] ?? 0) | byte;
  return hexFromBytes(bloom);
}

function decode(raw: Uint8Array, known: Header | undefined): Block {
  try {
    return decodeBlock(raw, known);
  } catch (error) {
    throw new BlockRefusedError({ number: undefined, hash: undefined }, reasonOf(error), error);
  }
}

/** Returns the first sentence of a message; @ethereumjs appends a dump of the block. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/ \((vm hf|block (header )?number|tx type|error code).*$/s, '')
    .replace(/\.$/, '')
    .slice(0, 500);
}
