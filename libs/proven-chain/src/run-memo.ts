import {
  type Block,
  createBloomTest,
  type Header,
  type Hex,
  type Json,
  type LogCondition,
  type LogQuery,
  parseHash,
  proofOfReceipts,
  type Receipt,
} from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import type { ContentCache } from '@cairn/proven-state';
import { answerInvalid, notYetKnown } from '@cairn/upstream';
import type { AncestorIndex, AncestorReadOptions } from './ancestor-index.ts';
import { ProvenChainError } from './errors.ts';
import { provenChainLimits } from './limits.ts';
import type { ProvenBlocks } from './proven-blocks.ts';
import { type ProvenLog, provenLogs } from './proven-logs.ts';

/** Block and index of a transaction. */
export interface TransactionPlace {
  readonly blockHash: Hex;
  readonly index: number;
}

/** Values that a run reads, by kind of read. */
export interface MemoValues {
  readonly hashes: Hex;
  readonly headers: Header;
  readonly blocks: Block;
  readonly receipts: readonly Receipt[];
  readonly places: TransactionPlace;
  readonly heights: readonly bigint[];
}

/** Results of the reads of one run. `undefined` means that the upstreams do not have it. */
export class RunMemo {
  /** Values by kind of read and key. Created on the first fetch: most runs over cached content need none. */
  #values: { readonly [Kind in keyof MemoValues]: Map<string, MemoValues[Kind] | undefined> } | undefined;

  /** A fetched value; `undefined` if it is not fetched yet. */
  get<Kind extends keyof MemoValues>(
    kind: Kind,
    key: string,
  ): { readonly value: MemoValues[Kind] | undefined } | undefined {
    const values = this.#values?.[kind];
    return values?.has(key) ? { value: values.get(key) } : undefined;
  }

  set<Kind extends keyof MemoValues>(kind: Kind, key: string, value: MemoValues[Kind] | undefined): void {
    this.#values ??= {
      hashes: new Map(),
      headers: new Map(),
      blocks: new Map(),
      receipts: new Map(),
      places: new Map(),
      heights: new Map(),
    };
    this.#values[kind].set(key, value);
  }

  /** @throws RUN_READS_EXCEEDED when the run holds too many blocks to read more. @param missing reads that the run waits for */
  requireRoom(missing: number): void {
    const { bodiesMax, readsMax } = provenChainLimits;
    const bodies = (this.#values?.blocks.size ?? 0) + (this.#values?.receipts.size ?? 0);
    if (bodies <= bodiesMax && missing < readsMax) return;
    throw new ProvenChainError('RUN_READS_EXCEEDED', 'The request reads too many blocks.', {
      hint: `Request fewer blocks: bodies and receipts of up to ${bodiesMax / 2} are read together.`,
    });
  }
}

/** Asynchronous reads for a run. Absent blocks and transactions are `undefined`. */
export class RunFetches {
  readonly #blocks: ProvenBlocks;
  readonly #ancestors: AncestorIndex;
  readonly #options: AncestorReadOptions;

  constructor(blocks: ProvenBlocks, ancestors: AncestorIndex, options: AncestorReadOptions) {
    this.#blocks = blocks;
    this.#ancestors = ancestors;
    this.#options = options;
  }

  get cache(): ContentCache {
    return this.#blocks.cache;
  }

  hash(head: Header, number: bigint): Promise<Hex> {
    return this.#ancestors.hashAt(head, number, this.#options);
  }

  /** From memory only. */
  knownHash(head: Header, number: bigint): Hex | undefined {
    return this.#ancestors.knownHash(head, number);
  }

  cachedHeader(hash: Hex): Header | undefined {
    return this.#blocks.cachedHeader(hash);
  }

  header(hash: Hex): Promise<Header | undefined> {
    return orAbsent(this.#blocks.header(hash, { ...this.#options, mayBeAbsent: true }));
  }

  async block(hash: Hex): Promise<Block | undefined> {
    const block = await orAbsent(this.#blocks.block(hash, { ...this.#options, mayBeAbsent: true }));
    if (block?.proof === 'quorum') this.#options.onQuorum?.();
    return block;
  }

  async receipts(hash: Hex): Promise<readonly Receipt[] | undefined> {
    const receipts = await orAbsent(this.#blocks.receipts(hash, { ...this.#options, mayBeAbsent: true }));
    if (receipts !== undefined && proofOfReceipts(receipts) === 'quorum') this.#options.onQuorum?.();
    return receipts;
  }

  /** Fetches the block of a transaction and verifies that it contains the transaction and is an ancestor of the head. */
  async place(head: Header, hash: Hex): Promise<TransactionPlace | undefined> {
    const { signal } = this.#options;
    const request = this.#blocks.pool.request(
      {
        method: 'eth_getTransactionByHash',
        params: [hash],
        shareAs: `place ${hash} ${head.hash}`,
        mayBeAbsent: true,
        parse: (result) => {
          const blockHash = (result as Json | null)?.blockHash;
          if (blockHash === null || blockHash === undefined) throw notYetKnown(`transaction ${hash} is not in a block`);
          return this.#verifiedPlace(head, hash, blockHash);
        },
      },
      { ...(signal && { signal }) },
    );
    return (await orAbsent(request))?.value;
  }

  /** Heights whose blooms match, from verified headers of the range. */
  async heights(
    head: Header,
    fields: readonly LogCondition[],
    { from, to }: { readonly from: bigint; readonly to: bigint },
  ): Promise<readonly bigint[]> {
    const hashes = await this.#ancestors.range(head, from, to, this.#options);
    const isCandidate = createBloomTest({ values: fields.map(({ values }) => values) });
    const heights: bigint[] = [];
    for (const hash of hashes) {
      const header = await this.#blocks.header(hash, this.#options);
      if (isCandidate(header.logsBloom)) heights.push(header.number);
    }
    return heights;
  }

  /** Matching logs of a range, provably complete. */
  logs(head: Header, query: LogQuery & { readonly from: bigint; readonly to: bigint }): Promise<readonly ProvenLog[]> {
    const [blocks, ancestors] = [this.#blocks, this.#ancestors];
    return provenLogs({ blocks, ancestors }, head, query, this.#options);
  }

  async #verifiedPlace(head: Header, hash: Hex, blockHash: unknown): Promise<TransactionPlace> {
    let named: Hex;
    try {
      named = parseHash('blockHash', blockHash);
    } catch {
      throw answerInvalid('blockHash is not a hash');
    }
    const block = await this.block(named);
    if (block === undefined) throw notYetKnown(`block ${named} is not known`);
    const index = block.transactions.findIndex((transaction) => transaction.hash === hash);
    if (index === -1) throw answerInvalid(`block ${named} does not contain the transaction`);
    const { number } = block.header;
    // A block of another branch can be a lie or a reorg that the other side does not know yet.
    if (number > head.number || (await this.hash(head, number)) !== named)
      throw notYetKnown(`block ${named} is not on the chain`);
    return { blockHash: named, index };
  }
}

async function orAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isCairnError(error, 'UPSTREAM_NOT_FOUND')) return undefined;
    throw error;
  }
}
