import { type Block, decodeBlock } from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import { type Awaitable, type CallEngine, type Deadline, gasBudgetExceeded, whenDone } from '@cairn/evm';
import { StateUnavailableError, TraceRefusedError } from '../errors.ts';
import { traceBlock } from '../trace/trace-block.ts';
import { traceCall } from '../trace/trace-call.ts';
import { ancestorHashes } from './ancestor-hashes.ts';
import type { ResultOf, TraceBlockJob, TraceCallJob } from './execution-job.ts';
import { blockOf, type OpenBlock, type OpenChain, openBlockOf } from './open-chain.ts';

/** Limits of a block that is traced in the calling thread. A trace beyond them throws GasBudgetExceeded. */
const inlineLimits = {
  /** Gas of the block without the 21,000 of each transaction. */
  gas: 200_000n,
  transactions: 8,
  /** Length of a trace. */
  characters: 128 * 1024,
} as const;
const transactionGas = 21_000n;

interface TraceLimits {
  readonly engine: CallEngine;
  readonly deadline?: Deadline | undefined;
  readonly isInline?: boolean;
}

/**
 * Traces transactions of a block, without a promise where {@link traceBlock} returns none and the state before the block is open.
 * @param isInline applies {@link inlineLimits}
 * @throws STATE_UNAVAILABLE, TRACE_REFUSED, and the errors of {@link traceBlock}
 */
export function serveBlockTrace(
  job: TraceBlockJob,
  open: OpenChain,
  { engine, deadline, isInline = false }: TraceLimits,
): Awaitable<ResultOf<TraceBlockJob>> {
  const { chain: name, blockHash, index, raw, options } = job;
  const { chain, source } = open;
  const block = raw === undefined ? source.block?.(blockHash) : decodedBlock(raw);
  if (block === undefined) throw new StateUnavailableError(name, blockHash);
  if (isInline && !isLight(block)) throw gasBudgetExceeded;
  const { parentHash } = block.header;
  const traceOn = ({ state, starts }: OpenBlock): Awaitable<ResultOf<TraceBlockJob>> => {
    const traced = traceBlock({
      spec: chain.spec,
      block,
      state,
      blockHashes: ancestorHashes(source, block.header),
      engine,
      options,
      deadline,
      ...(index !== undefined && { index }),
      // A block from a request is not verified: its hash does not identify its transactions.
      starts: raw === undefined ? starts : undefined,
      ...(isInline && { lightCharactersMax: inlineLimits.characters }),
      ...(raw !== undefined && { checks: { followsNonce: true } }),
    });
    return whenDone(traced, (result) => ({ kind: 'json', ...result }));
  };
  return whenDone(openBlockOf(open, parentHash) ?? blockOf(name, open, parentHash), traceOn);
}

function isLight({ header, transactions }: Block): boolean {
  const { length } = transactions;
  return length <= inlineLimits.transactions && header.gasUsed - BigInt(length) * transactionGas <= inlineLimits.gas;
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
