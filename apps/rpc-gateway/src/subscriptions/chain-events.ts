import { bloomQueryOf, createBloomTest, type Header, type Hex, headerToJson, type Json } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import type { Chain } from '../chains/chain.ts';
import type { LogFilter } from '../methods/logs/log-filter.ts';
import { hasLogs, type LogReader, logsOf } from '../methods/logs/logs-of.ts';
import { receiptsJson } from '../methods/transactions/receipts-json.ts';
import { type ChainPosition, type PathStep, stepFrom } from './chain-path.ts';
import { withRecent } from './recent-reads.ts';
import { type BlockTopic, isInRange } from './topic.ts';

/** Fields that geth's newHeads have as null before their fork. */
const laterFields = {
  baseFeePerGas: null,
  withdrawalsRoot: null,
  blobGasUsed: null,
  excessBlobGas: null,
  parentBeaconBlockRoot: null,
  requestsHash: null,
  blockAccessListHash: null,
  slotNumber: null,
} as const satisfies Json;

/** A block that joined the chain, or that a reorg removed. */
export interface BlockChange {
  readonly header: Header;
  readonly isRemoved: boolean;
}

/**
 * Events of blocks, as functions of the chain. Each read is a run of {@link Chain.read}, so the data may have to be fetched first.
 * Streams that have reached the same block share the reads.
 */
export class ChainEvents {
  readonly #chain: Pick<Chain, 'read'>;
  readonly #contents: (hash: Hex) => Promise<LogReader>;
  readonly #receipts: (hash: Hex) => Promise<readonly Json[]>;
  readonly #bloomTests = new WeakMap<LogFilter, (bloom: Hex) => boolean>();
  #steps: (from: Hex) => Promise<PathStep | undefined>;

  constructor(chain: Pick<Chain, 'read'>) {
    this.#chain = chain;
    this.#contents = withRecent((hash) => this.#readContents(hash));
    this.#receipts = withRecent((hash) => this.#readReceipts(hash));
    this.#steps = this.#recentSteps();
  }

  /** Forgets the steps that were read up to now. Called after a change of the head. */
  forgetSteps(): void {
    this.#steps = this.#recentSteps();
  }

  #recentSteps(): (from: Hex) => Promise<PathStep | undefined> {
    return withRecent(async (from) => await this.#chain.read(({ reader }) => stepFrom(reader, from)));
  }

  /** The newest block. */
  async head(): Promise<ChainPosition> {
    return await this.#chain.read(({ reader: { head } }) => ({ number: head.number, hash: head.hash }));
  }

  /** Header of a block, canonical or on a branch. */
  async header(hash: Hex): Promise<Header | undefined> {
    return await this.#chain.read(({ reader }) => reader.header(hash));
  }

  /**
   * The next blocks on the way from a position to the head; none at the head. `undefined` if the block of the position, or an
   * ancestor on its branch, is unknown.
   */
  async step({ hash }: ChainPosition): Promise<readonly BlockChange[] | undefined> {
    const step = await this.#steps(hash);
    return (
      step && [
        ...step.left.map((header) => ({ header, isRemoved: true })),
        ...step.joined.map((header) => ({ header, isRemoved: false })),
      ]
    );
  }

  /** Events of one block. A repeated call returns the same events. @throws the errors of reads */
  async of(topic: BlockTopic, { header, isRemoved }: BlockChange): Promise<readonly unknown[]> {
    if (topic.kind === 'logs') return this.#logs(topic.filter, header, isRemoved);
    if (isRemoved) return [];
    if (topic.kind === 'newHeads') return [{ ...laterFields, ...headerToJson(header) }];
    const receipts = await this.#receipts(header.hash);
    const { hashes } = topic;
    const wanted =
      hashes.size === 0 ? receipts : receipts.filter(({ transactionHash }) => hashes.has(transactionHash as Hex));
    return wanted.length === 0 ? [] : [wanted];
  }

  async #logs(filter: LogFilter, header: Header, removed: boolean): Promise<readonly unknown[]> {
    if (!isInRange(filter, header.number) || !hasLogs(header) || !this.#mayMatch(filter, header)) return [];
    const contents = await this.#contents(header.hash);
    const logs = Array.from(logsOf(filter, contents, header), (log) => ({ ...log, removed }));
    // A reorg undoes events in reverse order. hasSeen depends on it.
    return removed ? logs.reverse() : logs;
  }

  #mayMatch(filter: LogFilter, { logsBloom }: Header): boolean {
    const test = this.#bloomTests.get(filter) ?? createBloomTest(bloomQueryOf(filter));
    this.#bloomTests.set(filter, test);
    return test(logsBloom);
  }

  async #readContents(hash: Hex): Promise<LogReader> {
    const [block, receipts] = await Promise.all([
      this.#chain.read(({ reader }) => reader.block(hash)),
      this.#chain.read(({ reader }) => reader.receipts(hash)),
    ]);
    // An empty list would hide the logs of the block.
    if (block === undefined || receipts === undefined) throw unreadable(hash);
    return { block: () => block, receipts: () => receipts };
  }

  async #readReceipts(hash: Hex): Promise<readonly Json[]> {
    return await this.#chain.read(({ reader }) => {
      const block = reader.block(hash);
      if (block === undefined || reader.receipts(hash) === undefined) throw unreadable(hash);
      return receiptsJson(reader, block);
    });
  }
}

function unreadable(hash: Hex): RpcError {
  return new RpcError('server', `The transactions and receipts of block ${hash} cannot be read. Retry later.`);
}
