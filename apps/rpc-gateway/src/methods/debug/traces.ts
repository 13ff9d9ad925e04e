import { parseBlockOverrides, parseStateOverrides, parseTraceOptions, type TraceOptions } from '@cairn/evm-executor';
import { type ParamDefinition, RawJson, RpcError } from '@cairn/jsonrpc-core';
import { blockNumberParam, optionalBlockIdParam, requireHeader } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { callParam } from '../execution/call-params.ts';
import { messageJob, runJob } from '../execution/run-job.ts';
import { blockHashParam, transactionHashParam } from '../params.ts';

const traceOptionsParam = {
  name: 'config',
  summary:
    'tracer (callTracer, prestateTracer, 4byteTracer, noopTracer; single steps without) with tracerConfig; for steps enableMemory, enableReturnData, disableStack, disableStorage, limit.',
  isRequired: false,
  parse: (field: string, value: unknown) => parseTraceOptions(value, field),
} satisfies ParamDefinition<TraceOptions>;

const traceCallOptionsParam = {
  ...traceOptionsParam,
  summary: `${traceOptionsParam.summary} Also stateOverrides and blockOverrides.`,
  parse(field: string, value: unknown) {
    const { stateOverrides, blockOverrides } = (value ?? {}) as Readonly<Record<string, unknown>>;
    return {
      options: parseTraceOptions(value, field),
      state: stateOverrides ? parseStateOverrides(stateOverrides, `${field}.stateOverrides`) : undefined,
      block: blockOverrides ? parseBlockOverrides(blockOverrides, `${field}.blockOverrides`) : undefined,
    };
  },
} satisfies ParamDefinition;

const steps = parseTraceOptions(undefined);
const common = { errors: ['server'], cost: 300 } as const;

export const debugTraceCall = define({
  name: 'debug_traceCall',
  summary: 'What happens in a call on the state after a block, in geth’s form.',
  params: [callParam, optionalBlockIdParam, traceCallOptionsParam],
  result: 'What the tracer tells.',
  ...common,
  async handle([call, id, config], context) {
    const { options = steps, state, block } = config ?? {};
    const message = messageJob(context, call, id, { state, block });
    return new RawJson(
      (await runJob(context, 'debug_traceCall', { kind: 'traceCall' as const, options, ...message })).json,
    );
  },
});

export const debugTraceTransaction = define({
  name: 'debug_traceTransaction',
  summary: 'What happened in a transaction of the canonical chain, in geth’s form.',
  params: [transactionHashParam, traceOptionsParam],
  result: 'What the tracer tells.',
  ...common,
  async handle([hash, options = steps], context) {
    const place = context.chain.store.transactionPlace(hash);
    if (place === undefined) throw new RpcError('server', 'transaction not found');
    return await trace(context, 'debug_traceTransaction', { ...place, options });
  },
});

export const debugTraceBlockByHash = define({
  name: 'debug_traceBlockByHash',
  summary: 'What happened in each transaction of a block, in geth’s form.',
  params: [blockHashParam, traceOptionsParam],
  result: 'A list with the hash of each transaction and what the tracer tells of it.',
  ...common,
  async handle([hash, options = steps], context) {
    if (context.chain.store.header(hash) === undefined) throw new RpcError('server', `block ${hash} not found`);
    return await trace(context, 'debug_traceBlockByHash', { blockHash: hash, options });
  },
});

export const debugTraceBlockByNumber = define({
  name: 'debug_traceBlockByNumber',
  summary: 'The same by height or tag.',
  params: [blockNumberParam, traceOptionsParam],
  result: 'A list with the hash of each transaction and what the tracer tells of it.',
  ...common,
  async handle([id, options = steps], context) {
    return await trace(context, 'debug_traceBlockByNumber', {
      blockHash: requireHeader(context, id).hash,
      options,
    });
  },
});

async function trace(
  context: RequestContext,
  method: string,
  job: { readonly blockHash: `0x${string}`; readonly index?: number; readonly options: TraceOptions },
): Promise<RawJson> {
  if (context.chain.store.header(job.blockHash)?.number === 0n)
    throw new RpcError('server', 'genesis is not traceable');
  const { json } = await runJob(context, method, {
    kind: 'traceBlock' as const,
    chain: context.chain.network.name,
    ...job,
  });
  return new RawJson(json);
}
