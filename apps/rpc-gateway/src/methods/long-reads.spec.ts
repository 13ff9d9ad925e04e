import type { Block, Header, Hex, Receipt } from '@cairn/block-model';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RequestContext } from '../request-context.ts';
import { ethFeeHistory } from './fees/eth-fee-history.ts';
import { findLogs } from './logs/eth-get-logs.ts';

const blockCount = 20;
const hashOf = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const bloom: Hex = `0x${'ff'.repeat(256)}`;

/** Turns of the event loop so far, and at each read of receipts. */
let turns: number;
let turnsAtReads: number[];
let isOver: boolean;

beforeEach(() => {
  turns = 0;
  turnsAtReads = [];
  isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
});
afterEach(() => {
  isOver = true;
});

const headerOf = (number: bigint) =>
  ({ number, hash: hashOf(number), logsBloom: bloom, gasUsed: 21_000n, gasLimit: 30_000_000n }) as unknown as Header;

/** A chain on which a read of receipts takes longer than a time slice. */
function slowChain(signal = new AbortController().signal): RequestContext {
  const reader = {
    head: headerOf(BigInt(blockCount)),
    hashByNumber: hashOf,
    header: (hash: Hex) => headerOf(BigInt(hash)),
    block: (hash: Hex) => ({ header: headerOf(BigInt(hash)), transactions: [{ gasPrice: 7n }] }) as unknown as Block,
    receipts: () => {
      for (const end = performance.now() + 6; performance.now() < end; );
      turnsAtReads.push(turns);
      return [{ cumulativeGasUsed: 21_000n, logs: [] }] as unknown as Receipt[];
    },
  };
  return { chain: { network: {}, reader, logs: {} }, signal } as unknown as RequestContext;
}

const everyBlock = { blocks: { from: { number: 1n }, to: { number: BigInt(blockCount) } }, addresses: [], topics: [] };

/** Parameters of eth_feeHistory as they are parsed. */
const feeParams = [BigInt(blockCount), { number: BigInt(blockCount) }, [50]] as const;

const readers: readonly (readonly [string, (context: RequestContext) => unknown])[] = [
  ['eth_feeHistory', (context) => ethFeeHistory.handle(feeParams as unknown as readonly never[], context)],
  ['eth_getLogs', (context) => findLogs(everyBlock, context)],
];

test.each(readers)('%s reads slow blocks in several turns of the event loop', async (_, read) => {
  await read(slowChain());
  expect(turnsAtReads).toHaveLength(blockCount);
  expect(new Set(turnsAtReads).size).toBe(blockCount);
});

test.each(readers)('%s stops when its client disconnects', async (_, read) => {
  const client = new AbortController();
  const reading = read(slowChain(client.signal));
  client.abort(new Error('gone'));
  await expect(reading).rejects.toThrow('gone');
  expect(turnsAtReads.length).toBeLessThan(3);
});
