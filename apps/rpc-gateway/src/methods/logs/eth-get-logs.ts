import { type Header, quantity } from '@cairn/block-model';
import { RawJson, RpcError } from '@cairn/jsonrpc-core';
import type { BlockId } from '../../block-id.ts';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { WorkSlices } from '../../work-slices.ts';
import { define } from '../define.ts';
import { onceIn } from '../handle-over-upstreams.ts';
import { readAll } from '../read-all.ts';
import { contractsOfFilter } from '../reveals.ts';
import { conditionsOf, type LogFilter, parseLogFilter, requireBounded } from './log-filter.ts';
import { type LogRange, logRange } from './log-range.ts';
import { logTextsOf } from './log-texts.ts';
import { logJson } from './logs-of.ts';

/**
 * Most blocks of one request, and most logs and characters of one result. The data of a log may have megabytes, and V8 has no strings
 * of more than 512 Mi characters.
 */
const logLimits = { blocksMax: 10_000n, logsMax: 10_000, charactersMax: 64 * 1024 * 1024 } as const;

/** Bounds of the heights of one read of the log index, which is not interrupted. A popular address is in each of them. */
const heightsPerStep = { min: 16, max: 1024 };
/** Values of further conditions that one read looks up, each at each height. */
const lookupsPerStep = 16_384;

export const ethGetLogs = define({
  name: 'eth_getLogs',
  summary: `Returns the logs of a block, or of a range of up to ${logLimits.blocksMax} blocks, by address and topics.`,
  params: [
    {
      name: 'filter',
      summary: 'an object with address, topics, and blockHash or fromBlock and toBlock.',
      schema: paramSchemas.logQuery,
      parse: parseLogFilter,
    },
  ],
  result: `A list of up to ${logLimits.logsMax} logs with ${logLimits.charactersMax} characters in total.`,
  errors: ['limit', 'server'],
  cost: 75,
  reveals: { contracts: ([filter]) => contractsOfFilter(filter) },
  handle: ([filter], context) => findLogs(filter, context),
});

/** Finds the logs of a filter. @throws RpcError for a range that the chain does not have, and above the limits */
export async function findLogs(filter: LogFilter, context: RequestContext): Promise<RawJson | unknown[]> {
  requireBounded(filter);
  if (context.chain.logs.matchingLogs !== undefined && !('hash' in filter.blocks))
    return await findLogsOverUpstreams({ ...filter, blocks: filter.blocks }, context);
  let list = '';
  let count = 0;
  const slices = new WorkSlices(context);
  for (const header of headersOf(filter, context)) {
    const pause = slices.next();
    if (pause !== undefined) await pause;
    if (header === undefined) continue;
    const texts = logTextsOf(filter, context.chain.reader, header, logLimits.logsMax);
    const isFirst = count === 0;
    count += texts.length;
    if (count > logLimits.logsMax) throw tooMany('logs', logLimits.logsMax, isFirst ? undefined : header);
    for (const text of texts) {
      list += list === '' ? text : `,${text}`;
      if (list.length > logLimits.charactersMax)
        throw tooMany('characters', logLimits.charactersMax, isFirst ? undefined : header);
    }
  }
  return new RawJson(`[${list}]`);
}

/** @param header the block that exceeds the limit; `undefined` if the blocks before it have no matching logs */
function tooMany(what: 'logs' | 'characters', max: number, header: Header | undefined): RpcError {
  const last = header && header.number - 1n;
  const remedy = last === undefined ? 'Name addresses or topics.' : `Request a smaller range, up to block ${last}.`;
  return new RpcError('limit', `query returned more than ${max} ${what}. ${remedy}`, {
    [`${what}Max`]: max,
    ...(last !== undefined && { toBlock: quantity(last) }),
  });
}

/** Finds the logs of a range in few rounds: of headers, of receipts of candidates, and of blocks with matching logs. */
async function findLogsOverUpstreams(
  { blocks, addresses, topics }: LogFilter & { readonly blocks: { readonly from: BlockId; readonly to: BlockId } },
  context: RequestContext,
): Promise<unknown[]> {
  const range = logRange(blocks, context, logLimits.blocksMax);
  const { reader, logs } = context.chain;
  const query = { ...range, addresses, topics: topics.map((any) => (any.length === 0 ? null : any)) };
  const found = await onceIn(context, 'logs', async () => (await logs.matchingLogs?.(query)) ?? []);
  const { charactersMax } = logLimits;
  if (found.reduce((sum, { log }) => sum + log.data.length, 0) > charactersMax)
    throw new RpcError(
      'limit',
      `query returned more than ${charactersMax} characters. Request a smaller range, or name addresses or topics.`,
      { charactersMax },
    );
  const hashes = [...new Set(found.map(({ header }) => header.hash))];
  const bodies = new Map(readAll(hashes, (hash) => [hash, reader.block(hash)] as const));
  return found.map((placed) => logJson(placed, bodies.get(placed.header.hash)));
}

/** Headers of blocks that may have matching logs, with `undefined` where a step starts. */
function* headersOf(filter: LogFilter, context: RequestContext): Generator<Header | undefined> {
  const { blocks } = filter;
  const { reader } = context.chain;
  if ('hash' in blocks) {
    const header = reader.header(blocks.hash);
    if (header === undefined) throw new RpcError('server', `unknown block. This chain has no block ${blocks.hash}.`);
    yield header;
    return;
  }
  const range = logRange(blocks, context, logLimits.blocksMax);
  for (const number of heightsOf(filter, range, context.chain.logs)) {
    const hash = number === undefined ? undefined : reader.hashByNumber(number);
    yield hash && reader.header(hash);
  }
}

/** Heights whose blocks may have matching logs, in steps of limited work. `undefined` marks the start of a step. */
function* heightsOf(
  filter: LogFilter,
  { from, to }: LogRange,
  logs: RequestContext['chain']['logs'],
): Generator<bigint | undefined> {
  const [first, ...others] = conditionsOf(filter);
  if (first === undefined) {
    for (let number = from; number <= to; number++) yield number;
    return;
  }
  const lookups = others.reduce((sum, { values }) => sum + values.length, 1);
  const { min, max } = heightsPerStep;
  const step = BigInt(Math.max(min, Math.min(max, Math.floor(lookupsPerStep / lookups))));
  for (let start = from; start <= to; start += step) {
    yield undefined;
    const end = start + step - 1n;
    yield* logs.heightsWithLogs([first, ...others], { from: start, to: end < to ? end : to });
  }
}
