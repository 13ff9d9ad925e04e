import { applyMessage } from '../apply-message.ts';
import { callContext, cappedGas, type ExecuteCallOptions } from '../execute-call.ts';
import type { TraceOptions } from './trace-options.ts';
import { createTracer } from './transaction-tracer.ts';

/**
 * What happens in a call, as JSON text in geth's form, and the gas it used.
 * @throws CALL_* where no node would start the call, OVERRIDE_INVALID, TRACE_TOO_LARGE, and what the state throws
 */
export async function traceCall(
  options: ExecuteCallOptions,
  traceOptions: TraceOptions,
): Promise<{ readonly json: string; readonly gasUsed: bigint }> {
  const { call } = options;
  const context = callContext(options);
  const gasLimit = cappedGas(call.gas, options);
  const tracer = createTracer(traceOptions);
  tracer.begin?.(context, call);
  const applied = await applyMessage(context, call, { gasLimit, tracer });
  return { json: tracer.result(applied, gasLimit), gasUsed: applied.gasUsed };
}
