import {
  type Block,
  type ChainSpec,
  decodeBlock,
  encodeRlp,
  type Header,
  type Hex,
  verifyBlock,
} from '@cairn/block-model';
import { commonFromChainSpec } from '@cairn/block-model/ethereumjs';
import { type BlockHeader, createBlockFromRLP, createBlockHeaderFromRLP } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import { createVM, encodeReceipt, runBlock, type VM } from '@ethereumjs/vm';
import { BlockRefusedError } from './errors.ts';
import { validateHeader } from './header-rules.ts';
import type { ImportState } from './import-state.ts';

/** A block that has been executed and found right. */
export interface ExecutedBlock {
  readonly block: Block;
  /** RLP list of the receipts in their consensus encoding. */
  readonly receipts: Uint8Array;
}

/** Executes blocks with @ethereumjs/vm and holds the results to what their headers say. */
export class BlockExecutor {
  readonly #vm: VM;
  readonly #common: Common;
  #parent: BlockHeader;

  private constructor(vm: VM, common: Common, parent: BlockHeader) {
    this.#vm = vm;
    this.#common = common;
    this.#parent = parent;
  }

  /**
   * @param parent the header that the next block stands on
   * @param hashByNumber ancestors for BLOCKHASH
   */
  static async create(
    spec: ChainSpec,
    state: ImportState,
    parent: Header,
    hashByNumber: (number: bigint) => Hex | undefined,
  ): Promise<BlockExecutor> {
    // At the latest fork: BLS12-381 is set up only if its fork is active when the EVM is made.
    const common = commonFromChainSpec(spec);
    const blockchain = {
      getBlock: async (id: number | Uint8Array) => {
        const hash = typeof id === 'number' ? hashByNumber(BigInt(id)) : undefined;
        return { hash: () => Buffer.from((hash ?? `0x${'00'.repeat(32)}`).slice(2), 'hex') };
      },
      putBlock: async () => {},
      shallowCopy: () => blockchain,
      validateHeader: async () => {},
    };
    const vm = await createVM({ common, stateManager: state, blockchain, setHardfork: true });
    return new BlockExecutor(vm, common, headerOf(common, parent));
  }

  /**
   * Executes the block that follows.
   * @throws BLOCK_REFUSED with number, hash and reason. The state must then be thrown away.
   */
  async execute(raw: Uint8Array): Promise<ExecutedBlock> {
    const block = decode(raw);
    const { number, hash } = block.header;
    try {
      if (block.header.parentHash !== hashOf(this.#parent)) {
        throw new Error(
          `its parent is ${block.header.parentHash}, while block ${this.#parent.number} is ${hashOf(this.#parent)}`,
        );
      }
      verifyBlock(block);
      const common = this.#common.copy();
      const candidate = createBlockFromRLP(raw, { common, setHardfork: true });
      validateHeader(candidate.header, this.#parent);
      candidate.validateBlobTransactions(this.#parent);
      const { receipts } = await runBlock(this.#vm, {
        block: candidate,
        skipHeaderValidation: true,
        validateBlockSize: true,
      });
      this.#parent = candidate.header;
      const encoded = receipts.map((receipt, index) =>
        encodeReceipt(receipt, candidate.transactions[index]?.type ?? 0),
      );
      return { block, receipts: encodeRlp(encoded) };
    } catch (error) {
      throw new BlockRefusedError({ number, hash }, differenceIn(block.header, error) ?? reasonOf(error), error);
    }
  }
}

const resultFields: Readonly<Record<string, 'receiptsRoot' | 'logsBloom' | 'gasUsed' | 'requestsHash' | 'stateRoot'>> =
  {
    receiptTrie: 'receiptsRoot',
    bloom: 'logsBloom',
    gasUsed: 'gasUsed',
    requestsHash: 'requestsHash',
    'block stateRoot': 'stateRoot',
  };

/** What execution gave is not what the header says: @ethereumjs tells little more than which field. */
function differenceIn(header: Header, error: unknown): string | undefined {
  const text = error instanceof Error ? error.message : '';
  const [, name = ''] = /^invalid (block stateRoot|\w+)\b/.exec(text) ?? [];
  const field = resultFields[name];
  if (field === undefined) return undefined;
  const [, got] = /got: (0x[0-9a-f]+)/.exec(text) ?? [];
  const claim = field === 'logsBloom' ? 'differs' : `is ${header[field]}`;
  return `its ${field} ${claim}, its execution gives ${got ?? 'another'}`;
}

function decode(raw: Uint8Array): Block {
  try {
    return decodeBlock(raw);
  } catch (error) {
    throw new BlockRefusedError({ number: undefined, hash: undefined }, reasonOf(error), error);
  }
}

/** The first sentence of what @ethereumjs says; it appends a dump of the block. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/ \((vm hf|block number|tx type|error code).*$/s, '')
    .replace(/\.$/, '')
    .slice(0, 500);
}

function headerOf(common: Common, header: Header): BlockHeader {
  return createBlockHeaderFromRLP(header.raw, { common: common.copy(), setHardfork: true });
}

function hashOf(header: BlockHeader): string {
  return `0x${Buffer.from(header.hash()).toString('hex')}`;
}
