import { senderOf } from '@cairn/block-model';
import { createMemoryState, hasConformanceCases } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import { createEngine } from '../engine/create-engine.ts';
import { readRecordedChain } from '../recorded-chain.fixture.ts';
import { traceBlock } from './trace-block.ts';
import { traceCall } from './trace-call.ts';
import { parseTraceOptions } from './trace-options.ts';

const run = hasConformanceCases ? test : test.skip;

/** First block of the recorded chain, on the state of its genesis. */
function firstBlock() {
  const { spec, blocks, genesis } = readRecordedChain();
  const [block] = blocks;
  if (block === undefined) throw new Error('no block');
  return { spec, block, state: createMemoryState(genesis), blockHashes: () => undefined, engine: createEngine() };
}

const traced = async (config: unknown) =>
  JSON.parse((await traceBlock({ ...firstBlock(), options: parseTraceOptions(config) })).json);

describe('traceBlock', () => {
  run('reports each transaction under its hash, and the gas of all', async () => {
    const { block, ...place } = firstBlock();
    const { json, gasUsed } = await traceBlock({
      ...place,
      block,
      options: parseTraceOptions({ tracer: 'callTracer' }),
    });
    const found: readonly { readonly txHash: string; readonly result: { readonly gasUsed: string } }[] =
      JSON.parse(json);
    expect(found.map(({ txHash }) => txHash)).toEqual(block.transactions.map(({ hash }) => hash));
    expect(found.reduce((sum, { result }) => sum + BigInt(result.gasUsed), 0n)).toBe(gasUsed);
    expect(gasUsed).toBe(block.header.gasUsed);
  });

  run('gives flatCallTracer the place of each transaction', async () => {
    const { block } = firstBlock();
    const found = await traced({ tracer: 'flatCallTracer' });
    for (const [index, { result }] of found.entries()) {
      expect(result[0]).toMatchObject({
        blockHash: block.header.hash,
        blockNumber: 1,
        transactionHash: block.transactions[index]?.hash,
        transactionPosition: index,
      });
    }
  });
});

run('traceCall within a block sees what the transactions before it have done', async () => {
  const { block, ...place } = firstBlock();
  const [transaction] = block.transactions;
  if (transaction === undefined) throw new Error('no transaction');
  const from = senderOf(transaction);
  const nonceBefore = async (index: number) => {
    const options = { ...place, header: block.header, call: { from, to: from }, within: { block, index } };
    const { json } = await traceCall(options, parseTraceOptions({ tracer: 'prestateTracer' }));
    return JSON.parse(json)[from].nonce ?? 0;
  };
  const own = (count: number) => block.transactions.slice(0, count).filter((each) => senderOf(each) === from).length;
  for (const index of [0, 1, block.transactions.length]) expect(await nonceBefore(index)).toBe(own(index));
});
