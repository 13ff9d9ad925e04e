import { quantity } from '@cairn/block-model';
import { recordOptions } from '@cairn/evm-executor';
import { RawJson, RpcError } from '@cairn/jsonrpc-core';
import { creditsPerTracedBlock } from '@cairn/metering';
import type { BlockId } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { findBlock } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { type CallExecutor, workerTimeSurcharge } from '../execution/call-executor.ts';
import { onceIn } from '../handle-over-upstreams.ts';
import { readAll } from '../read-all.ts';
import { filterLimits, filterParam, type TraceFilter } from './filter-param.ts';
import { traced } from './trace-params.ts';
import { runBlockJob } from './traced-block.ts';

/** Most characters of a result: a longer response is refused. */
const charactersMax = 20_000_000;
/** Blocks without work that are passed over before the event loop serves other requests. */
const blocksPerSlice = 64;

const { blocksMax, recordsMax } = filterLimits;

export const traceFilter = (executor: CallExecutor) =>
  define({
    name: 'trace_filter',
    summary: `Lists the calls of a range of up to ${blocksMax} blocks, by sender and recipient, in the format of Parity.`,
    params: [filterParam],
    result: `A list of up to ${recordsMax} calls, creations, self-destructs and rewards.`,
    ...traced,
    surcharge: `${creditsPerTracedBlock} for each block ${workerTimeSurcharge}`,
    reveals: 'anything',
    async handle([filter], context) {
      const range = rangeOf(filter, context);
      const credits = Number(range.to - range.from + 1n) * creditsPerTracedBlock;
      await onceIn(context, 'take credits of blocks', () => context.meter.takeMore('trace_filter', credits));
      return new RawJson(`[${(await findRecords(executor, context, filter, range)).join(',')}]`);
    },
  });

interface BlockRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** @throws RpcError for a range that the chain does not have, and above the limit */
function rangeOf({ fromBlock, toBlock }: TraceFilter, context: RequestContext): BlockRange {
  const { number: head } = context.chain.reader.head;
  const [from, to] = [numberOf(fromBlock, context), numberOf(toBlock, context)];
  if (from > to)
    throw new RpcError(
      'params',
      `invalid block range: fromBlock is ${from}, and toBlock is ${to}. Give toBlock ${from} or more.`,
    );
  if (to > head)
    throw new RpcError('params', `block range extends beyond the head: toBlock is ${to}. The newest block is ${head}.`);
  if (to - from >= blocksMax)
    throw new RpcError(
      'limit',
      `the range has ${to - from + 1n} blocks, and at most ${blocksMax} are allowed. Request blocks ${from} to ${from + blocksMax - 1n} first.`,
      { blocksMax: Number(blocksMax), toBlock: quantity(from + blocksMax - 1n) },
    );
  return { from, to };
}

function numberOf(id: BlockId, context: RequestContext): bigint {
  if ('number' in id) return id.number;
  const hash = findBlock(context, id);
  return (hash && context.chain.reader.header(hash)?.number) ?? 0n;
}

/** Traces the blocks of a range one after the other, and returns the JSON text of the records that match. @throws RpcError above the limits */
async function findRecords(
  executor: CallExecutor,
  context: RequestContext,
  { from, to, mode, after, count }: TraceFilter,
  range: BlockRange,
): Promise<string[]> {
  // A network with upstreams fetches the headers of the range in few rounds.
  if (context.chain.upstreams !== undefined) readAll(numbersOf(range), (number) => blockWithRecords(context, number));
  const found: string[] = [];
  let skip = after;
  let left = count ?? Number.POSITIVE_INFINITY;
  let total = 0;
  let characters = 0;
  for (let number = range.from; number <= range.to && left > 0; number++) {
    context.signal.throwIfAborted();
    if ((number - range.from) % BigInt(blocksPerSlice) === 0n) await new Promise((resolve) => setImmediate(resolve));
    const blockHash = blockWithRecords(context, number);
    if (blockHash === undefined) continue;
    // One more than allowed, so that a longer result is detected.
    const take = Math.min(left, recordsMax - total + 1);
    const filter = { from, to, mode, skip, take };
    const job = { blockHash, options: { ...recordOptions, filter } };
    const { json, records = 0 } = await runBlockJob(executor, context, 'trace_filter', job);
    const taken = Math.min(Math.max(0, records - skip), take);
    skip = Math.max(0, skip - records);
    left -= taken;
    total += taken;
    characters += json.length;
    if (total > recordsMax || characters > charactersMax) throw tooMany(range.from, number);
    if (taken > 0) found.push(json.slice(1, -1));
  }
  return found;
}

function* numbersOf({ from, to }: BlockRange): Generator<bigint> {
  for (let number = from; number <= to; number++) yield number;
}

/** Transactions root of a block without transactions: the root of an empty trie. */
const noTransactions = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/** Hash of a block that can have records: blocks without transactions have none after the merge, and the genesis has none. */
function blockWithRecords({ chain: { reader } }: RequestContext, number: bigint) {
  const hash = reader.hashByNumber(number);
  const header = hash && reader.header(hash);
  if (header === undefined || number === 0n) return undefined;
  return header.transactionsRoot === noTransactions && header.difficulty === 0n ? undefined : hash;
}

function tooMany(from: bigint, number: bigint): RpcError {
  const isFirst = number === from;
  const remedy = isFirst
    ? 'Name addresses, or page with after and count.'
    : `Request a smaller range, up to block ${number - 1n}, or page with after and count.`;
  return new RpcError(
    'limit',
    `the result has more than ${recordsMax} records, or more than ${charactersMax} characters. ${remedy}`,
    { recordsMax, ...(!isFirst && { toBlock: quantity(number - 1n) }) },
  );
}
