import {
  cannotUnmarshal,
  effectiveGasPrice,
  type Header,
  type Hex,
  InvalidValueError,
  jsonKind,
  nextExcessBlobGas,
  quantity,
} from '@cairn/block-model';
import { blobBaseFeeAt, forkRules } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, blockNumberParam, isPending } from '../../block-id.ts';
import { baseFeeAfter, headOf, type PendingFields, pendingFields } from '../../chains/pending-block.ts';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { findBlock } from '../../resolve-block.ts';
import { WorkSlices } from '../../work-slices.ts';
import { define } from '../define.ts';
import { parseItems } from '../params.ts';
import { readAllInSlices, readBoth } from '../read-all.ts';

/** Limits of geth (eth/gasprice/feehistory.go, eth/ethconfig/config.go). */
const blocksMax = 1024n;
const percentilesMax = 100;
const gasPerBlob = 131_072n;
const countMax = 2n ** 64n - 1n;

/** Parses a count in decimal or hexadecimal digits, or as a plain number, which older clients send. @throws VALUE_INVALID */
function parseCount(field: string, value: unknown): bigint {
  if (value === '') return 0n;
  const json = JSON.stringify(value) ?? '';
  const text = typeof value === 'string' ? json.slice(1, -1) : json;
  const isNumber = /^(0[xX][0-9a-fA-F]+|[0-9]+)$/.test(text) && text.length < 100;
  const count = isNumber ? BigInt(text.toLowerCase()) : countMax + 1n;
  if (count <= countMax) return count;
  throw new InvalidValueError(
    field,
    'a number of blocks such as "0x5"',
    value,
    `invalid hex or decimal integer ${JSON.stringify(text.slice(0, 100))}`,
  );
}

function parsePercentiles(field: string, value: unknown): readonly number[] {
  return parseItems(field, value, '[]float64', (at, item) => {
    if (item === null) return 0;
    if (typeof item === 'number') return item;
    throw new InvalidValueError(at, 'a percentile from 0 to 100', item, cannotUnmarshal(jsonKind(item), 'float64'));
  });
}

/** Checks that percentiles are in range and rise. @throws RpcError in geth's words */
function requireRising(percentiles: readonly number[]): void {
  const invalid = (reason: string) =>
    new RpcError(
      'server',
      `invalid reward percentile: ${reason}. Give up to ${percentilesMax} rising values from 0 to 100.`,
    );
  if (percentiles.length > percentilesMax) throw invalid(`over the query limit ${percentilesMax}`);
  for (const [index, percentile] of percentiles.entries()) {
    if (percentile < 0 || percentile > 100) throw invalid(percentile.toFixed(6));
    const before = percentiles[index - 1];
    if (before !== undefined && percentile <= before)
      throw invalid(`#${index - 1}:${before.toFixed(6)} >= #${index}:${percentile.toFixed(6)}`);
  }
}

export const ethFeeHistory = define({
  name: 'eth_feeHistory',
  summary: 'Returns base fees, gas usage ratios and tips for a range of blocks.',
  params: [
    {
      name: 'blockCount',
      summary: `a number of blocks, ${blocksMax} at most.`,
      schema: paramSchemas.quantity,
      parse: parseCount,
    },
    { ...blockNumberParam, name: 'newestBlock' },
    {
      name: 'rewardPercentiles',
      summary: 'a rising list of percentiles of the gas of a block, at which tips are returned, or null for none.',
      schema: paramSchemas.list,
      parse: parsePercentiles,
    },
  ],
  result: 'Lists with an entry for each block, the oldest first. Base fees have one more entry, for the next block.',
  errors: ['server'],
  cost: 50,
  reveals: 'nothing',
  async handle([requested, newestId, percentiles], context) {
    if (requested === 0n) return { oldestBlock: '0x0', gasUsedRatio: null };
    requireRising(percentiles);
    const newest = newestNumber(context, newestId);
    const limited = requested > blocksMax ? blocksMax : requested;
    const count = limited > newest + 1n ? newest + 1n : limited;
    const oldest = newest + 1n - count;
    const hasRewards = percentiles.length > 0;
    const heights = Array.from({ length: Number(count) }, (_, index) => oldest + BigInt(index));
    const blocks = await readAllInSlices(
      heights,
      (height) => feesOf(context, height, percentiles),
      new WorkSlices(context),
    );
    const last = blocks.at(-1);
    return {
      oldestBlock: quantity(oldest),
      ...(hasRewards && { reward: blocks.map(({ reward }) => reward) }),
      baseFeePerGas: [...blocks.map(({ baseFee }) => quantity(baseFee)), quantity(last?.nextBaseFee ?? 0n)],
      gasUsedRatio: blocks.map(({ gasUsedRatio }) => gasUsedRatio),
      baseFeePerBlobGas: [...blocks.map(({ blobFee }) => quantity(blobFee)), quantity(last?.nextBlobFee ?? 0n)],
      blobGasUsedRatio: blocks.map(({ blobGasUsedRatio }) => blobGasUsedRatio),
    };
  },
});

/** Resolves the newest block of the range. @throws RpcError for a block beyond the head */
function newestNumber(context: RequestContext, id: BlockId): bigint {
  const { reader } = context.chain;
  const { number: head } = reader.head;
  if (isPending(id)) return head + 1n;
  if ('number' in id && id.number > head)
    throw new RpcError('server', `request beyond head block: requested ${id.number}, head ${head}`);
  const hash = findBlock(context, id);
  return (hash && reader.header(hash)?.number) ?? head;
}

/** Fees of a block by number; the block after the head is the pending block. */
function feesOf(context: RequestContext, number: bigint, percentiles: readonly number[]) {
  const { chain } = context;
  const { reader } = chain;
  const { number: headNumber } = reader.head;
  if (number > headNumber) {
    const pending = pendingFields(chain, headOf(chain));
    return { reward: percentiles.map((): Hex => '0x0'), ...blockFees(context, pending) };
  }
  const hash = reader.hashByNumber(number);
  const header = hash && reader.header(hash);
  if (!header) throw new RpcError('server', `block #${number} not found`);
  const reward = percentiles.length > 0 ? rewards(context, header, percentiles) : [];
  return { reward, ...blockFees(context, header) };
}

type FeeFields = Pick<
  PendingFields,
  'number' | 'timestamp' | 'gasLimit' | 'gasUsed' | 'baseFeePerGas' | 'blobGasUsed' | 'excessBlobGas'
>;

function blockFees({ chain }: RequestContext, header: FeeFields) {
  const { gasUsed, gasLimit, baseFeePerGas = 0n } = header;
  return {
    baseFee: baseFeePerGas,
    nextBaseFee: baseFeeAfter(chain, header) ?? 0n,
    gasUsedRatio: Number(gasUsed) / Number(gasLimit),
    ...blobFees(chain, header),
  };
}

/** Like geth, computes the fees of the next block by the fork of this block. */
function blobFees({ reader: { spec } }: RequestContext['chain'], header: FeeFields) {
  const { excessBlobGas, blobGasUsed } = header;
  if (excessBlobGas === undefined || spec === undefined) return { blobFee: 0n, nextBlobFee: 0n, blobGasUsedRatio: 0 };
  const rules = forkRules(spec, header);
  const blobGasMax = Number(rules.blobsMax * gasPerBlob);
  return {
    blobFee: blobBaseFeeAt(excessBlobGas, rules),
    nextBlobFee: blobBaseFeeAt(nextExcessBlobGas(header, rules), rules),
    blobGasUsedRatio: blobGasMax === 0 ? 0 : Number(blobGasUsed ?? 0n) / blobGasMax,
  };
}

/** Tips at percentiles of the gas of a block (EIP-1559). */
function rewards({ chain: { reader } }: RequestContext, header: Header, percentiles: readonly number[]): Hex[] {
  const [block, receipts] = readBoth(
    () => reader.block(header.hash),
    () => reader.receipts(header.hash),
  );
  if (block === undefined || receipts === undefined || block.transactions.length === 0)
    return percentiles.map(() => '0x0');
  const { transactions } = block;
  const baseFee = header.baseFeePerGas ?? 0n;
  const paid = transactions.map((transaction, index) => ({
    tip: effectiveGasPrice(transaction, baseFee) - baseFee,
    gas: (receipts[index]?.cumulativeGasUsed ?? 0n) - (receipts[index - 1]?.cumulativeGasUsed ?? 0n),
  }));
  paid.sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
  return percentiles.map((percentile) => {
    const threshold = Math.floor((Number(header.gasUsed) * percentile) / 100);
    let sum = 0n;
    for (const { tip, gas } of paid) {
      sum += gas;
      if (Number(sum) >= threshold) return quantity(tip);
    }
    return quantity(paid.at(-1)?.tip ?? 0n);
  });
}
