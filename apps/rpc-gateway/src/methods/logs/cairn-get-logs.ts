import { type Header, type Hex, hexFromBytes, quantity } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { createLogProver, encodeLogWitness } from '@cairn/verify';
import { eventLoop } from '../../event-loop.ts';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { requireHeader } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { conditionsOf, type LogFilter, parseLogFilter, requireBounded } from './log-filter.ts';
import { type LogRange, logRange } from './log-range.ts';
import { logsOf } from './logs-of.ts';

/** Most blocks of one request, most logs of one result, and most bytes of one witness. */
const witnessLimits = { blocksMax: 2_000n, logsMax: 10_000, bytesMax: 8 * 1024 * 1024 } as const;

export const cairnGetLogs = define({
  name: 'cairn_getLogs',
  summary: `Returns the logs of up to ${witnessLimits.blocksMax} blocks as eth_getLogs does, and a witness which proves to @cairn/verify that none is omitted. Witnesses have up to ${witnessLimits.bytesMax} bytes.`,
  params: [
    {
      name: 'filter',
      summary: 'an object with address, topics, and blockHash or fromBlock and toBlock.',
      schema: paramSchemas.logQuery,
      parse: parseLogFilter,
    },
  ],
  result: `fromBlock and toBlock; blockHash of the last block; up to ${witnessLimits.logsMax} logs; witness.`,
  errors: ['limit', 'server'],
  cost: 150,
  reveals: 'anything',
  async handle([filter], context) {
    requireBounded(filter);
    const { from, to } = rangeOf(filter, context);
    const { reader } = context.chain;
    const headers = await headersDown(filter, { from, to }, context);
    const [last] = headers as [Header];
    const proof = await proveLogs(filter, headers, context);
    const parts = { chainId: reader.chainId, headers: headers.map(({ raw }) => raw), ...proof };
    return {
      fromBlock: quantity(from),
      toBlock: quantity(to),
      blockHash: last.hash,
      logs: proof.logs,
      witness: hexFromBytes(encodeLogWitness(parts)),
    };
  },
});

function rangeOf({ blocks }: LogFilter, context: RequestContext): LogRange {
  if (!('hash' in blocks)) return logRange(blocks, context, witnessLimits.blocksMax);
  const { number } = requireHeader(context, { hash: blocks.hash, requireCanonical: false });
  return { from: number, to: number };
}

/** Headers from the end of the range to its start, each the parent of the one before it, so that a reorg cannot mix branches. */
async function headersDown(
  filter: LogFilter,
  { from, to }: LogRange,
  { chain, signal }: RequestContext,
): Promise<readonly Header[]> {
  const { reader, logs } = chain;
  const [first, ...others] = conditionsOf(filter);
  // On a network with upstreams, this fetches the headers of the range in one round.
  if (first !== undefined && from < to) logs.heightsWithLogs([first, ...others], { from, to });
  const headers: Header[] = [];
  let hash: Hex | undefined = 'hash' in filter.blocks ? filter.blocks.hash : reader.hashByNumber(to);
  for (let number = to; number >= from; number--) {
    while (eventLoop.isSliceOver) await eventLoop.nextSlice();
    signal.throwIfAborted();
    const header: Header | undefined = hash && reader.header(hash);
    if (header === undefined) throw new RpcError('server', `header not found. Block ${number} is not available.`);
    headers.push(header);
    hash = header.parentHash;
  }
  return headers;
}

/** @throws RpcError above the limits */
async function proveLogs(filter: LogFilter, headers: readonly Header[], { chain, signal }: RequestContext) {
  const { reader } = chain;
  const prove = createLogProver(filter, {
    receipts: ({ hash }) => reader.receipts(hash) ?? [],
    block: ({ hash }) => reader.block(hash) ?? { transactions: [] },
  });
  const receipts: (readonly Uint8Array[])[] = [];
  const nodes: Uint8Array[] = [];
  const found: (readonly unknown[])[] = [];
  let logCount = 0;
  let bytes = headers.reduce((sum, { raw }) => sum + raw.length, 0);
  for (const header of headers) {
    while (eventLoop.isSliceOver) await eventLoop.nextSlice();
    signal.throwIfAborted();
    const proven = prove(header);
    if (proven.receipts === undefined) continue;
    receipts.push(proven.receipts);
    for (const node of proven.nodes) nodes.push(node);
    for (const { length } of [...proven.receipts, ...proven.nodes]) bytes += length;
    const logs = [...logsOf(filter, reader, header)];
    found.push(logs);
    logCount += logs.length;
    if (bytes > witnessLimits.bytesMax) throw tooMuch(`needs a witness of more than ${witnessLimits.bytesMax} bytes`);
    if (logCount > witnessLimits.logsMax) throw tooMuch(`returned more than ${witnessLimits.logsMax} logs`);
  }
  return { receipts, nodes, logs: found.reverse().flat() };
}

function tooMuch(reason: string): RpcError {
  const { bytesMax, logsMax } = witnessLimits;
  return new RpcError('limit', `query ${reason}. Request a smaller range.`, { bytesMax, logsMax });
}
