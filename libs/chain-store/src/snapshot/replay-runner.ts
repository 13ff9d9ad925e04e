import {
  type AccountChange,
  type BlockOutcome,
  type BlockRun,
  type BlockRunner,
  decodeBlockHeader,
  type Hex,
  hexFromBytes,
  type Receipt,
} from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { Database } from '@cairn/embedded-store';
import { isEmptyTrieRoot } from '@cairn/trie';
import { decodeReceipts } from '../read-receipts.ts';
import { decodeRecentChanges } from './recent-blocks.ts';
import { listItems } from './record-chunks.ts';

const emptyCodeHash = keccak256(new Uint8Array(0));

interface Outcome {
  readonly hash: Hex;
  readonly receipts: readonly Receipt[];
  readonly changes: readonly AccountChange[];
}

/**
 * Returns recorded results instead of executing blocks. The importer verifies them against the roots in the header, as those of
 * an execution.
 */
export class ReplayRunner implements BlockRunner {
  readonly name = 'replay';
  readonly #codes: Pick<Database, 'has'>;
  #next: Outcome | undefined;

  /** @param codes stored codes by their hashes */
  constructor(codes: Pick<Database, 'has'>) {
    this.#codes = codes;
  }

  /** Sets the results of the next block from a record of `recentRecords`. @returns RLP of the block @throws DECODE_FAILED, Error */
  take(record: Uint8Array): Uint8Array {
    const [block, receipts, changes, ...rest] = listItems(record);
    if (!block || !receipts || !changes || rest.length > 0) throw new Error('a block has other parts');
    const { hash } = decodeBlockHeader(block);
    this.#next = {
      hash,
      receipts: decodeReceipts(receipts),
      changes: decodeRecentChanges(changes).map(this.#withCode),
    };
    return block;
  }

  readonly #withCode = (change: AccountChange): AccountChange => {
    const codeHash = change.account?.codeHash;
    if (codeHash && Buffer.compare(codeHash, emptyCodeHash) !== 0 && !this.#codes.has(codeHash))
      throw new Error(`the code of account ${hexFromBytes(change.address)} is missing`);
    return change;
  };

  async run({ block, roots, state }: BlockRun): Promise<BlockOutcome> {
    const { header } = block;
    if (this.#next?.hash !== header.hash) throw new Error('its results were not recorded');
    const { receipts, changes } = this.#next;
    for (const { address, isStorageCleared } of changes) {
      const root = state.getAccount(address)?.storageRoot;
      if (isStorageCleared && (root === undefined || isEmptyTrieRoot(root)))
        throw new Error(`it empties the storage of account ${hexFromBytes(address)}, which has none`);
    }
    const stateRoot = hexFromBytes(await roots.after(changes));
    // The hash of the requests follows from the execution only; the hash of the head covers it.
    return { receipts, stateRoot, requestsHash: header.requestsHash };
  }
}
