import { type Block, decodeBlock } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import type { CallEngine, Deadline } from '@cairn/evm';
import { StateUnavailableError, TraceRefusedError } from '../errors.ts';
import { traceBlock } from '../trace/trace-block.ts';
import { traceCall } from '../trace/trace-call.ts';
import { ancestorHashes } from './ancestor-hashes.ts';
import type { ResultOf, TraceBlockJob, TraceCallJob } from './execution-job.ts';
import { blockOf, type OpenChain } from './open-chain.ts';

/** Traces transactions of a block. @throws STATE_UNAVAILABLE, TRACE_REFUSED, and the errors of {@link traceBlock} */
export async function serveBlockTrace(
  { chain: name, blockHash, index, raw, options }: TraceBlockJob,
  open: OpenChain,
  engine: CallEngine,
  deadline?: Deadline,
): Promise<ResultOf<TraceBlockJob>> {
  const { chain, source } = open;
  const block = raw === undefined ? source.block?.(blockHash) : decodedBlock(raw);
  if (block === undefined) throw new StateUnavailableError(name, blockHash);
  const { state } = await blockOf(name, open, block.header.parentHash);
  const traced = await traceBlock({
    spec: chain.spec,
    block,
    state,
    blockHashes: ancestorHashes(source, block.header),
    engine,
    options,
    deadline,
    ...(index !== undefined && { index }),
    // A block from a request is not verified.
    ...(raw !== undefined && { checks: { followsNonce: true } }),
  });
  return { kind: 'json', ...traced };
}

/** @throws TRACE_REFUSED with geth's message */
function decodedBlock(raw: Uint8Array): Block {
  try {
    return decodeBlock(raw);
  } catch (error) {
    if (!isCairnError(error)) throw error;
    throw new TraceRefusedError(
      `could not decode block: ${error.message}`,
      'Send the block in the form that debug_getRawBlock returns.',
    );
  }
}

/** Traces a call before a transaction of a block. @throws STATE_UNAVAILABLE, and the errors of {@link traceCall} */
export async function serveTraceWithin(
  { chain: name, blockHash, index, options, ...message }: TraceCallJob & { index: number },
  open: OpenChain,
  engine: CallEngine,
  {
    gasCapMultiplier,
    deadline,
  }: { readonly gasCapMultiplier?: number | undefined; readonly deadline?: Deadline | undefined },
): Promise<ResultOf<TraceCallJob>> {
  const { chain, source } = open;
  const block = source.block?.(blockHash);
  if (block === undefined) throw new StateUnavailableError(name, blockHash);
  const { header } = block;
  const { state } = await blockOf(name, open, header.parentHash);
  const blockHashes = ancestorHashes(source, header);
  const limits = { deadline, ...(gasCapMultiplier !== undefined && { gasCapMultiplier }) };
  const place = { spec: chain.spec, header, state, blockHashes, engine, limits, within: { block, index } };
  return { kind: 'json', ...(await traceCall({ ...place, ...message }, options)) };
}
