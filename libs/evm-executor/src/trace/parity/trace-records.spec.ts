import type { Block, Hex } from '@cairn/block-model';
import { createMemoryState, hasConformanceCases } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../../engine/create-engine.ts';
import { readRecordedChain } from '../../recorded-chain.fixture.ts';
import { contract, other, specAt, testHeader } from '../../test-chain.fixture.ts';
import { traceBlock } from '../trace-block.ts';
import type { ParityOptions } from './parity-options.ts';
import { recordOptions } from './parse-trace-types.ts';

const run = hasConformanceCases ? test : test.skip;

// biome-ignore lint/suspicious/noExplicitAny: records have several forms.
type Records = any;

/** First block of the recorded chain, on the state of its genesis. */
function firstBlock() {
  const { spec, blocks, genesis } = readRecordedChain();
  const [block] = blocks;
  if (block === undefined) throw new Error('no block');
  return { spec, block, state: createMemoryState(genesis), blockHashes: () => undefined, engine: createEngine() };
}

async function records(more: Partial<ParityOptions> & { readonly index?: number } = {}) {
  const { index, ...parts } = more;
  const place = { ...firstBlock(), ...(index !== undefined && { index }) };
  const traced = await traceBlock({ ...place, options: { ...recordOptions, ...parts } });
  return { ...traced, list: JSON.parse(traced.json) as Records };
}

describe('records of a block', () => {
  run('name the block and the transaction', async () => {
    const { block } = firstBlock();
    const { list, gasUsed } = await records();
    expect(gasUsed).toBe(block.header.gasUsed);
    const outermost = list.filter(({ traceAddress, type }: Records) => traceAddress.length === 0 && type !== 'reward');
    expect(outermost.map(({ transactionHash }: Records) => transactionHash)).toEqual(
      block.transactions.map(({ hash }) => hash),
    );
    expect(outermost[0]).toMatchObject({
      blockHash: block.header.hash,
      blockNumber: Number(block.header.number),
      transactionPosition: 0,
    });
  });

  run('of one transaction are those of the block with its position', async () => {
    const { list } = await records();
    const own = list.filter(({ transactionPosition }: Records) => transactionPosition === 0);
    expect((await records({ index: 0 })).list).toEqual(own);
  });

  run('are selected by their path, which gives one record or null', async () => {
    const [first] = (await records({ index: 0 })).list;
    expect((await records({ index: 0, path: [] })).list).toEqual(first);
    expect((await records({ index: 0, path: [9, 9] })).list).toBeNull();
  });

  run('are counted before they are skipped and taken', async () => {
    const all = await records();
    const filter = { from: [], to: [], mode: 'union', skip: 1, take: 1 } as const;
    const { list, records: matched } = await records({ filter });
    expect(list).toEqual(all.list.slice(1, 2));
    expect(matched).toBe(all.list.length);
  });

  run('match addresses of either list, or of both', async () => {
    const { list } = await records();
    const [{ action }] = list as [Records];
    const select = async (from: Hex[], to: Hex[], mode: 'union' | 'intersection') =>
      (await records({ filter: { from, to, mode, skip: 0, take: 1000 } })).list;
    const sent = list.filter((each: Records) => each.action.from === action.from);
    expect(await select([action.from], [], 'intersection')).toEqual(sent);
    expect(await select([action.from], [other], 'union')).toEqual(sent);
    expect(await select([action.from], [other], 'intersection')).toEqual([]);
  });
});

describe('rewards', () => {
  const header = { ...testHeader, difficulty: 1n, number: 10n };
  const trace = async (block: Partial<Block>, filter?: ParityOptions['filter']) => {
    const whole: Block = { header, transactions: [], uncles: [], size: 0, ...block };
    const place = { spec: specAt('london'), state: createMemoryState({}), blockHashes: () => undefined };
    const options = { ...recordOptions, ...(filter && { filter }) };
    return JSON.parse((await traceBlock({ ...place, engine: createEngine(), block: whole, options })).json) as Records;
  };
  const uncle = { ...testHeader, number: 9n, miner: contract };

  test('of a block before the merge follow its transactions, the block first', async () => {
    const [own, first] = await trace({ uncles: [uncle] });
    expect(own).toEqual({
      action: {
        author: header.miner,
        rewardType: 'block',
        value: `0x${(2n * 10n ** 18n + 10n ** 18n / 16n).toString(16)}`,
      },
      blockHash: header.hash,
      blockNumber: 10,
      result: null,
      subtraces: 0,
      traceAddress: [],
      transactionHash: null,
      transactionPosition: null,
      type: 'reward',
    });
    expect(first.action).toEqual({
      author: contract,
      rewardType: 'uncle',
      value: `0x${((7n * 10n ** 18n) / 4n).toString(16)}`,
    });
  });

  test('have a recipient and no sender', async () => {
    const select = (from: Hex[], to: Hex[], mode: 'union' | 'intersection') =>
      trace({ uncles: [uncle] }, { from, to, mode, skip: 0, take: 9 });
    expect(await select([], [contract], 'union')).toHaveLength(1);
    expect(await select([other], [contract], 'union')).toHaveLength(1);
    expect(await select([other], [contract], 'intersection')).toEqual([]);
    expect(await select([header.miner], [], 'union')).toEqual([]);
  });

  test('are absent after the merge and in the genesis', async () => {
    expect(await trace({ header: { ...header, difficulty: 0n } })).toEqual([]);
    expect(await trace({ header: { ...header, number: 0n } })).toEqual([]);
  });
});
