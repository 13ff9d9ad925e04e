import type { Hex } from '@cairn/block-model';
import type { EngineTracer } from '@cairn/evm';
import type { AppliedMessage, MessageContext } from '../apply-message.ts';
import type { CallRequest } from '../call-request.ts';

/** A transaction or call before its execution. */
export interface TracedMessage {
  readonly context: MessageContext;
  readonly call: CallRequest;
  readonly gasLimit: bigint;
  /** Number of logs of earlier transactions in the block. */
  readonly logsBefore: number;
  /** Position of a transaction in the chain; absent for calls. */
  readonly place?: {
    readonly blockHash: Hex;
    readonly blockNumber: bigint;
    readonly hash: Hex;
    readonly index: number;
  };
}

/** Observes one transaction and returns a trace as JSON text. */
export interface TransactionTracer extends EngineTracer {
  /** Called before the transaction changes the world. */
  begin?(message: TracedMessage): void;
  /** Called after the transaction, its refunds and its fees. */
  result(applied: AppliedMessage): string;
}
