import {
  type Block,
  effectiveGasPrice,
  type Hex,
  InvalidValueError,
  nextBaseFee,
  parseQuantity,
  quantity,
} from '@cairn/block-model';
import { forkRules } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import { blockNumberParam, requireHeader } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { parseList } from '../params.ts';
import { blobBaseFeeOf } from './fees.ts';

const blocksMax = 1024n;
const percentilesMax = 100;
const gasPerBlob = 131_072n;

/** A count as a quantity, or as a plain number, which older clients send. */
function parseCount(field: string, value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  return parseQuantity(field, value);
}

function parsePercentiles(field: string, value: unknown): readonly number[] | undefined {
  if (value === null) return undefined;
  const list = parseList(field, value, percentilesMax, (at, item) => {
    if (typeof item === 'number' && item >= 0 && item <= 100) return item;
    throw new InvalidValueError(at, 'a percentile from 0 to 100', item);
  });
  const unsorted = list.findIndex((item, index) => index > 0 && item < (list[index - 1] ?? 0));
  if (unsorted > 0)
    throw new RpcError(
      'params',
      `invalid reward percentile: #${unsorted - 1}:${list[unsorted - 1]} > #${unsorted}:${list[unsorted]}`,
    );
  return list;
}

export const ethFeeHistory = define({
  name: 'eth_feeHistory',
  summary: 'Base fees, how full blocks were, and what transactions paid above the base fee, over a range of blocks.',
  params: [
    { name: 'blockCount', summary: `number of blocks, ${blocksMax} at most.`, parse: parseCount },
    { ...blockNumberParam, name: 'newestBlock' },
    {
      name: 'rewardPercentiles',
      summary: 'percentiles of the gas of a block, ascending, at which its tips are told.',
      isRequired: false,
      parse: parsePercentiles,
    },
  ],
  result: 'Lists with an entry for each block, the oldest first; base fees have one more, for the block after.',
  cost: 50,
  handle([asked, newestId, percentiles], context) {
    const newest = requireHeader(context, newestId).number;
    const limited = asked > blocksMax ? blocksMax : asked;
    const count = limited > newest + 1n ? newest + 1n : limited;
    if (count === 0n) return { oldestBlock: '0x0', gasUsedRatio: [] };
    const oldest = newest + 1n - count;
    const blocks = Array.from({ length: Number(count) }, (_, index) => blockAt(context, oldest + BigInt(index)));
    const last = blocks.at(-1) as Block;
    const next = nextBaseFee(last.header) ?? 0n;
    const nextBlobFee = blobBaseFeeOf(context, last.header) ?? 0n;
    return {
      oldestBlock: quantity(oldest),
      ...(percentiles &&
        percentiles.length > 0 && { reward: blocks.map((block) => rewards(context, block, percentiles)) }),
      baseFeePerGas: [...blocks.map(({ header }) => quantity(header.baseFeePerGas ?? 0n)), quantity(next)],
      gasUsedRatio: blocks.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
      baseFeePerBlobGas: [
        ...blocks.map(({ header }) => quantity(blobBaseFeeOf(context, header) ?? 0n)),
        quantity(nextBlobFee),
      ],
      blobGasUsedRatio: blocks.map((block) => blobRatio(context, block)),
    };
  },
});

function blockAt({ chain: { store } }: RequestContext, number: bigint): Block {
  const hash = store.hashByNumber(number);
  const block = hash && store.block(hash);
  if (!block) throw new RpcError('server', `block #${number} not found`);
  return block;
}

/** The tips at percentiles of the gas that a block used (EIP-1559). */
function rewards({ chain: { store } }: RequestContext, block: Block, percentiles: readonly number[]): Hex[] {
  const { header, transactions } = block;
  if (transactions.length === 0) return percentiles.map(() => '0x0');
  const receipts = store.receipts(header.hash) ?? [];
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

function blobRatio({ chain: { store } }: RequestContext, { header }: Block): number {
  if (header.blobGasUsed === undefined || !store.spec) return 0;
  const { blobsMax } = forkRules(store.spec, header);
  return blobsMax === 0n ? 0 : Number(header.blobGasUsed) / Number(blobsMax * gasPerBlob);
}
