import { type Header, quantity } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, findBlock, isPending } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { contractsOfFilter } from '../reveals.ts';
import { conditionsOf, type LogFilter, parseLogFilter, requireBounded } from './log-filter.ts';
import { logsOf } from './logs-of.ts';

/** Blocks of one request at most, and logs of one answer. */
const logLimits = { blocksMax: 10_000n, logsMax: 10_000 } as const;

/** Headers that are looked at before other requests have their turn. */
const headersPerTurn = 256;

export const ethGetLogs = define({
  name: 'eth_getLogs',
  summary: `Logs of a block or of a range of up to ${logLimits.blocksMax} blocks, by address and topics.`,
  params: [
    {
      name: 'filter',
      summary: 'an object with address, topics, and blockHash or fromBlock and toBlock.',
      parse: parseLogFilter,
    },
  ],
  result: `A list of up to ${logLimits.logsMax} logs.`,
  errors: ['limit', 'server'],
  cost: 75,
  reveals: { contracts: ([filter]) => contractsOfFilter(filter) },
  handle: ([filter], context) => findLogs(filter, context),
});

/** The logs of a filter. @throws RpcError for a range that the chain does not have, and beyond the limits */
export async function findLogs(filter: LogFilter, context: RequestContext): Promise<unknown[]> {
  requireBounded(filter);
  const logs: unknown[] = [];
  let looked = 0;
  for (const header of headersOf(filter, context)) {
    if (++looked % headersPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
    context.signal.throwIfAborted();
    for (const log of logsOf(filter, context.chain.store, header)) {
      if (logs.push(log) > logLimits.logsMax)
        throw new RpcError(
          'limit',
          `query returned more than ${logLimits.logsMax} logs. Ask for fewer blocks, up to ${header.number - 1n}.`,
          { logsMax: logLimits.logsMax, toBlock: quantity(header.number - 1n) },
        );
    }
  }
  return logs;
}

function* headersOf(filter: LogFilter, context: RequestContext): Generator<Header> {
  const { blocks } = filter;
  const { store } = context.chain;
  if ('hash' in blocks) {
    const header = store.header(blocks.hash);
    if (header === undefined) throw new RpcError('server', `unknown block. This chain has no block ${blocks.hash}.`);
    yield header;
    return;
  }
  if (isPending(blocks.from) || isPending(blocks.to))
    throw new RpcError('params', 'pending logs are not supported. Ask for latest; the pending block is empty.');
  const { number: head } = store.head;
  const [from, to] = [numberOf(blocks.from, context), numberOf(blocks.to, context)];
  // As in geth, latest is above every height, also that of the head, for it may have moved since.
  if (from > to || (isLatest(blocks.from) && !isLatest(blocks.to)))
    throw new RpcError(
      'params',
      `invalid block range params. The range is from ${from} to ${to}; latest is above every number.`,
    );
  if (to > head)
    throw new RpcError('params', `block range extends beyond current head block. The newest block is ${head}.`);
  if (to - from >= logLimits.blocksMax)
    throw new RpcError(
      'limit',
      `exceed maximum block range ${logLimits.blocksMax}. The range has ${to - from + 1n} blocks; ask for it in parts.`,
      {
        blocksMax: Number(logLimits.blocksMax),
      },
    );
  const [first, ...others] = conditionsOf(filter);
  const heights = first ? store.heightsWithLogs([first, ...others], { from, to }) : everyHeight(from, to);
  for (const number of heights) {
    const hash = store.hashByNumber(number);
    const header = hash && store.header(hash);
    if (header) yield header;
  }
}

function* everyHeight(from: bigint, to: bigint): Generator<bigint> {
  for (let number = from; number <= to; number++) yield number;
}

function isLatest(id: BlockId): boolean {
  return 'tag' in id && id.tag === 'latest';
}

function numberOf(id: BlockId, context: RequestContext): bigint {
  if ('number' in id) return id.number;
  const hash = findBlock(context, id);
  return (hash && context.chain.store.header(hash)?.number) ?? 0n;
}
