import { InvalidValueError } from '@cairn/block-model';
import { parseCallRequest, parseTraceTypes, type TracedCall } from '@cairn/evm-executor';
import { type ParamDefinition, RawJson, RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, isPending, optionalBlockIdParam } from '../../block-id.ts';
import { paramSchemas } from '../../param-schemas.ts';
import type { RequestContext } from '../../request-context.ts';
import { requireTraced } from '../debug/traced-block.ts';
import { define } from '../define.ts';
import type { CallExecutor } from '../execution/call-executor.ts';
import { blockOverridesParam, callParam, stateOverridesParam } from '../execution/call-params.ts';
import { messageJob } from '../execution/message-job.ts';
import { traced, traceTypesParam } from './trace-params.ts';

/** Most calls of one request. */
const callsMax = 1_000;

const envelope = 'output, stateDiff, trace and vmTrace; parts that are not selected are empty.';

export const traceCall = (executor: CallExecutor) =>
  define({
    name: 'trace_call',
    summary: 'Traces a call on the state after a block, in the format of Parity.',
    params: [callParam, traceTypesParam, optionalBlockIdParam, stateOverridesParam, blockOverridesParam],
    result: `An object with ${envelope}`,
    ...traced,
    reveals: { contracts: ([call]) => [call.to], overrides: ([, , , state]) => [state] },
    async handle([call, options, id, state, block], context) {
      const message = messageJob(context, call, requireState(context, id), { state, block });
      const job = { kind: 'traceCall' as const, ...message, options };
      return new RawJson((await executor.runByTime(context, 'trace_call', job)).json);
    },
  });

const callsParam = {
  name: 'calls',
  summary: `a list of up to ${callsMax} pairs: a call, and its list of trace types.`,
  schema: paramSchemas.list,
  parse(field: string, value: unknown): readonly TracedCall[] {
    if (!Array.isArray(value)) throw new InvalidValueError(field, 'a list of pairs [call, traceTypes]', value);
    if (value.length > callsMax) throw new InvalidValueError(field, `at most ${callsMax} calls`, value.length);
    return value.map((pair: unknown, index) => parsePair(`${field}[${index}]`, pair));
  },
} satisfies ParamDefinition<readonly TracedCall[]>;

function parsePair(field: string, value: unknown): TracedCall {
  if (!Array.isArray(value) || value.length !== 2)
    throw new InvalidValueError(field, 'a pair [call, traceTypes]', value);
  const [call, types] = value as readonly unknown[];
  return { call: parseCallRequest(call, { field: `${field}[0]` }), options: parseTraceTypes(`${field}[1]`, types) };
}

export const traceCallMany = (executor: CallExecutor) =>
  define({
    name: 'trace_callMany',
    summary:
      'Traces calls in the format of Parity, each on the state after the one before. The block does not advance.',
    params: [callsParam, optionalBlockIdParam, stateOverridesParam, blockOverridesParam],
    result: `A list of objects with ${envelope}`,
    ...traced,
    reveals: {
      contracts: ([calls]) => calls.map(({ call }) => call.to),
      overrides: ([, , state]) => [state],
    },
    async handle([calls, id, state, block], context) {
      const { call: _, ...message } = messageJob(context, {}, requireState(context, id), { state, block });
      const job = { kind: 'traceCalls' as const, ...message, calls };
      return new RawJson((await executor.runByTime(context, 'trace_callMany', job)).json);
    },
  });

/** Checks the block of a call. @throws RpcError for the pending block, and if the chain has no such block */
function requireState(context: RequestContext, id: BlockId = { tag: 'latest' }): BlockId {
  if (isPending(id)) throw new RpcError('params', 'tracing on top of pending is not supported. Use latest.');
  requireTraced(context, id);
  return id;
}
