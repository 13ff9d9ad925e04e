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
  orderedTrieRoot,
  type Receipt,
  verifyBlock,
} from '@cairn/block-model';
import { commonFromChainSpec } from '@cairn/block-model/ethereumjs';
import { type BlockHeader, createBlockHeaderFromRLP } from '@ethereumjs/block';
import { type Common, Hardfork } from '@ethereumjs/common';
import { BlockRefusedError } from './errors.ts';
import { validateHeader } from './header-rules.ts';
import type { ImportState } from './import-state.ts';

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

/** Has blocks executed and holds the results to what their headers say. */
export class BlockExecutor {
  readonly #spec: ChainSpec;
  readonly #state: ImportState;
  readonly #runner: BlockRunner | undefined;
  #reference: BlockRunner | undefined;
  readonly #common: Common;
  readonly #hashByNumber: (number: bigint) => Hex | undefined;
  #parent: Header;
  /** The same for the rules of headers. */
  #parentHeader: BlockHeader;

  /**
   * @param parent the header that the next block stands on
   * @param hashByNumber ancestors for BLOCKHASH
   * @param runner default: @ethereumjs/vm
   */
  constructor(
    spec: ChainSpec,
    state: ImportState,
    parent: Header,
    hashByNumber: (number: bigint) => Hex | undefined,
    runner?: BlockRunner,
  ) {
    this.#spec = spec;
    this.#state = state;
    this.#runner = runner;
    this.#common = commonFromChainSpec(spec);
    this.#hashByNumber = hashByNumber;
    this.#parent = parent;
    this.#parentHeader = this.#headerOf(parent);
  }

  /**
   * Executes the block that follows.
   * @throws BLOCK_REFUSED with number, hash and reason. The state must then be thrown away.
   */
  async execute(raw: Uint8Array): Promise<ExecutedBlock> {
    const block = decode(raw);
    const { header } = block;
    try {
      const { number, hash } = this.#parent;
      if (header.parentHash !== hash)
        throw new Error(`its parent is ${header.parentHash}, while block ${number} is ${hash}`);
      verifyBlock(block);
      const candidate = this.#headerOf(header);
      validateHeader(candidate, this.#parentHeader);
      if (candidate.common.isActivatedEIP(7934) && raw.length > blockBytesMax)
        throw new Error(`it has ${raw.length} bytes, more than ${blockBytesMax}`);
      const runner = await this.#runnerFor(header);
      const outcome = await runner.run({
        spec: this.#spec,
        block,
        parent: this.#parent,
        state: this.#state.view(),
        roots: this.#state,
        blockHashes: this.#hashByNumber,
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
      this.#parent = header;
      this.#parentHeader = candidate;
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

  #headerOf({ raw }: Header): BlockHeader {
    return createBlockHeaderFromRLP(raw, { common: this.#common, setHardfork: true });
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
    .replace(/ \((vm hf|block number|tx type|error code).*$/s, '')
    .replace(/\.$/, '')
    .slice(0, 500);
}
