import type { Hex } from '@cairn/block-model';
import type { AppliedMessage, MessageContext } from '../apply-message.ts';
import type { CallRequest } from '../call-request.ts';
import type { EngineTracer } from '../engine/engine-tracer.ts';

/** A transaction, or a call, that is about to run. */
export interface TracedMessage {
  readonly context: MessageContext;
  readonly call: CallRequest;
  readonly gasLimit: bigint;
  /** Logs of the transactions before it in its block. */
  readonly logsBefore: number;
  /** Absent for calls. */
  readonly place?: {
    readonly blockHash: Hex;
    readonly blockNumber: bigint;
    readonly hash: Hex;
    readonly index: number;
  };
}

/** Listens to one transaction and reports what happened as JSON text. */
export interface TransactionTracer extends EngineTracer {
  /** Before anything of the transaction has changed the world. */
  begin?(message: TracedMessage): void;
  /** After the transaction, its refunds and its fees. */
  result(applied: AppliedMessage): string;
}
