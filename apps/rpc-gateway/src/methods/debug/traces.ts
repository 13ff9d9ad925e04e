import { bytesFromHex, decodeBlockHeader, type Header, type Hex, parseData, parseQuantity } from '@cairn/block-model';
import {
  type Awaitable,
  parseBlockOverrides,
  parseStateOverrides,
  parseTraceOptions,
  type TraceOptions,
  tracerNames,
  whenDone,
} from '@cairn/evm-executor';
import type { TraceBlockJob } from '@cairn/evm-executor/pool';
import { type ParamDefinition, RawJson, RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, blockNumberParam, isPending, optionalBlockIdParam } from '../../block-id.ts';
import { paramSchemas, traceOptionsSchema } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { type CallExecutor, workerTimeSurcharge } from '../execution/call-executor.ts';
import { callParam } from '../execution/call-params.ts';
import { messageJob } from '../execution/message-job.ts';
import { blockHashParam, transactionHashParam } from '../params.ts';
import { requireTraced } from './traced-block.ts';

const traceOptionsParam = {
  name: 'config',
  summary: `tracer (${tracerNames.join(', ')}; default: single steps) with tracerConfig; timeout of a transaction, such as "5s"; for steps enableMemory, enableReturnData, disableStack, disableStorage, limit (characters of steps).`,
  schema: traceOptionsSchema(tracerNames),
  isRequired: false,
  parse: (field: string, value: unknown) => parseTraceOptions(value, field),
} satisfies ParamDefinition<TraceOptions>;

const traceCallOptionsParam = {
  ...traceOptionsParam,
  summary: `${traceOptionsParam.summary} Also stateOverrides, blockOverrides, and txIndex: the call runs before that transaction of the block rather than after the block.`,
  parse(field: string, value: unknown) {
    const options = parseTraceOptions(value, field);
    const { stateOverrides, blockOverrides, txIndex } = (value ?? {}) as Readonly<Record<string, unknown>>;
    return {
      options,
      state: stateOverrides ? parseStateOverrides(stateOverrides, `${field}.stateOverrides`) : undefined,
      block: blockOverrides ? parseBlockOverrides(blockOverrides, `${field}.blockOverrides`) : undefined,
      index: txIndex === undefined || txIndex === null ? undefined : parseQuantity(`${field}.txIndex`, txIndex),
    };
  },
} satisfies ParamDefinition;

const steps = parseTraceOptions(undefined);
const common = { errors: ['server'], cost: 300, surcharge: workerTimeSurcharge } as const;

export const debugTraceCall = (executor: CallExecutor) =>
  define({
    name: 'debug_traceCall',
    summary: 'Traces a call on the state after a block, in the format of geth.',
    params: [callParam, optionalBlockIdParam, traceCallOptionsParam],
    result: 'The result of the tracer.',
    ...common,
    reveals: { contracts: ([call]) => [call.to], overrides: ([, , config]) => [config?.state] },
    async handle([call, asked, config], context) {
      const id: BlockId = asked ?? { tag: 'latest' };
      if ('tag' in id && id.tag === 'pending')
        throw new RpcError('server', 'tracing on top of pending is not supported');
      const { options = steps, state, block, index } = config ?? {};
      requireTraced(context, id);
      const message = messageJob(context, call, id, { state, block });
      const place = index === undefined ? {} : { index: requireIndex(context, message.blockHash, index) };
      const job = { kind: 'traceCall' as const, options, ...message, ...place };
      return new RawJson((await executor.runByTime(context, 'debug_traceCall', job, options.timeoutMs)).json);
    },
  });

/** Checks a transaction index; 0 is valid in an empty block. @throws RpcError in geth's words */
function requireIndex(context: RequestContext, blockHash: Hex, index: bigint): number {
  const { header, transactions } = context.chain.reader.block(blockHash) ?? { transactions: [] };
  if (header?.number === 0n) throw new RpcError('server', 'no transaction in genesis');
  if (index < BigInt(transactions.length) || (index === 0n && transactions.length === 0)) return Number(index);
  throw new RpcError('server', `transaction index ${index} out of range for block ${blockHash}`);
}

export const debugTraceTransaction = (executor: CallExecutor) =>
  define({
    name: 'debug_traceTransaction',
    summary: 'Traces a transaction of the canonical chain, in the format of geth.',
    params: [transactionHashParam, traceOptionsParam],
    result: 'The result of the tracer.',
    ...common,
    reveals: 'anything',
    handle([hash, options = steps], context) {
      const place = context.chain.reader.transactionPlace(hash);
      if (place === undefined) throw new RpcError('server', 'transaction not found');
      const { blockHash, index } = place;
      return trace(executor, context, 'debug_traceTransaction', { blockHash, index, options });
    },
  });

const traces = 'A list with the hash and the tracer result of each transaction.';

export const debugTraceBlockByHash = (executor: CallExecutor) =>
  define({
    name: 'debug_traceBlockByHash',
    summary: 'Traces each transaction of a block, in the format of geth.',
    params: [blockHashParam, traceOptionsParam],
    result: traces,
    ...common,
    reveals: 'anything',
    async handle([hash, options = steps], context) {
      requireTraced(context, { hash, requireCanonical: false });
      return await trace(executor, context, 'debug_traceBlockByHash', { blockHash: hash, options });
    },
  });

export const debugTraceBlockByNumber = (executor: CallExecutor) =>
  define({
    name: 'debug_traceBlockByNumber',
    summary: 'Traces each transaction of a block, by number or tag, in the format of geth.',
    params: [blockNumberParam, traceOptionsParam],
    result: traces,
    ...common,
    reveals: 'anything',
    async handle([id, options = steps], context) {
      // The pending block has no transactions.
      if (isPending(id)) return [];
      const blockHash = requireTraced(context, id);
      return await trace(executor, context, 'debug_traceBlockByNumber', { blockHash, options });
    },
  });

export const debugTraceBlock = (executor: CallExecutor) =>
  define({
    name: 'debug_traceBlock',
    summary: 'Traces each transaction of a given block, which need not be in the chain, on the state after its parent.',
    params: [
      {
        name: 'block',
        summary: 'the block in RLP, as debug_getRawBlock returns it.',
        schema: paramSchemas.bytes,
        parse: parseData,
      },
      traceOptionsParam,
    ],
    result: traces,
    ...common,
    reveals: 'anything',
    async handle([rlp, options = steps], context) {
      const raw = bytesFromHex(rlp);
      const header = decodedHeader(raw);
      if (header.number === 0n) throw new RpcError('server', 'genesis is not traceable');
      const { reader } = context.chain;
      if (reader.hashByNumber(header.number - 1n) === undefined)
        throw new RpcError('server', `block #${header.number - 1n} not found`);
      requireTraced(context, { hash: header.parentHash, requireCanonical: false });
      return await trace(executor, context, 'debug_traceBlock', { blockHash: header.hash, raw, options });
    },
  });

/** Decodes the header only. The worker decodes the body, since some megabytes take half a second. */
function decodedHeader(raw: Uint8Array): Header {
  try {
    return decodeBlockHeader(raw);
  } catch (error) {
    throw new RpcError('server', `could not decode block: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function trace(
  executor: CallExecutor,
  context: RequestContext,
  method: string,
  job: Omit<TraceBlockJob, 'kind' | 'chain'>,
): Awaitable<RawJson> {
  if (context.chain.reader.header(job.blockHash)?.number === 0n)
    throw new RpcError('server', 'genesis is not traceable');
  const chain = context.chain.network.name;
  const traced = executor.traceNow(context, method, { kind: 'traceBlock' as const, chain, ...job });
  return whenDone(traced, ({ json }) => new RawJson(json));
}
