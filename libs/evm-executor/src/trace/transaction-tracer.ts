import type { AppliedMessage, MessageContext } from '../apply-message.ts';
import type { CallRequest } from '../call-request.ts';
import type { EngineTracer } from '../engine/engine-tracer.ts';
import { CallTracer } from './call-tracer.ts';
import { FourByteTracer } from './four-byte-tracer.ts';
import { PrestateTracer } from './prestate-tracer.ts';
import { StructLogTracer } from './struct-log-tracer.ts';
import type { TraceOptions } from './trace-options.ts';

/** Listens to one transaction and tells what happened as JSON text. */
export interface TransactionTracer extends EngineTracer {
  /** Before anything of the transaction has changed the world. */
  begin?(context: MessageContext, call: CallRequest): void;
  /** After the transaction, its refunds and its fees. */
  result(applied: AppliedMessage, gasLimit: bigint): string;
}

/** A tracer for one transaction. */
export function createTracer(options: TraceOptions): TransactionTracer {
  switch (options.tracer) {
    case 'structLog':
      return new StructLogTracer(options);
    case 'callTracer':
      return new CallTracer(options);
    case 'prestateTracer':
      return new PrestateTracer(options);
    case '4byteTracer':
      return new FourByteTracer();
    case 'noopTracer':
      return { result: () => '{}' };
  }
}
