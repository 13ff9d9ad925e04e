import { type Header, quantity } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { contractsOfFilter } from '../reveals.ts';
import { conditionsOf, type LogFilter, parseLogFilter, requireBounded } from './log-filter.ts';
import { type LogRange, logRange } from './log-range.ts';
import { logsOf } from './logs-of.ts';

/** Most blocks of one request, and most logs of one result. */
const logLimits = { blocksMax: 10_000n, logsMax: 10_000 } as const;

/** Headers that are read before the event loop serves other requests. */
const headersPerSlice = 256;

export const ethGetLogs = define({
  name: 'eth_getLogs',
  summary: `Returns the logs of a block, or of a range of up to ${logLimits.blocksMax} blocks, by address and topics.`,
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

/** Finds the logs of a filter. @throws RpcError for a range that the chain does not have, and above the limits */
export async function findLogs(filter: LogFilter, context: RequestContext): Promise<unknown[]> {
  requireBounded(filter);
  const logs: unknown[] = [];
  let headersRead = 0;
  for (const header of headersOf(filter, context)) {
    if (++headersRead % headersPerSlice === 0) await new Promise((resolve) => setImmediate(resolve));
    context.signal.throwIfAborted();
    for (const log of logsOf(filter, context.chain.reader, header)) {
      if (logs.push(log) > logLimits.logsMax)
        throw new RpcError(
          'limit',
          `query returned more than ${logLimits.logsMax} logs. Request a smaller range, up to block ${header.number - 1n}.`,
          { logsMax: logLimits.logsMax, toBlock: quantity(header.number - 1n) },
        );
    }
  }
  return logs;
}

function* headersOf(filter: LogFilter, context: RequestContext): Generator<Header> {
  const { blocks } = filter;
  const { reader } = context.chain;
  if ('hash' in blocks) {
    const header = reader.header(blocks.hash);
    if (header === undefined) throw new RpcError('server', `unknown block. This chain has no block ${blocks.hash}.`);
    yield header;
    return;
  }
  const range = logRange(blocks, context, logLimits.blocksMax);
  const [first, ...others] = conditionsOf(filter);
  const heights = first ? context.chain.logs.heightsWithLogs([first, ...others], range) : everyHeight(range);
  for (const number of heights) {
    const hash = reader.hashByNumber(number);
    const header = hash && reader.header(hash);
    if (header) yield header;
  }
}

function* everyHeight({ from, to }: LogRange): Generator<bigint> {
  for (let number = from; number <= to; number++) yield number;
}
