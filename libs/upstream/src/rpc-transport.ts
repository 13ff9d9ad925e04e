import type { RpcErrorObject } from './classify-error.ts';
import { AttemptFailure } from './errors.ts';

/** One call on the wire. `id` is unique per transport. */
export interface WireCall {
  readonly id: number;
  /** JSON text of the request object. */
  readonly text: string;
}

/** Untrusted answer to one call. */
export interface WireAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: RpcErrorObject | null;
}

/** Answers of a batch by id, or one error for the whole batch. */
export interface WireAnswers {
  readonly byId: ReadonlyMap<number, WireAnswer>;
  readonly batchError?: RpcErrorObject;
}

/** Connection to one upstream. */
export interface RpcTransport {
  /**
   * Sends one call, or several as a batch.
   * @throws AttemptFailure, or the reason of the signal
   */
  send(calls: readonly WireCall[], signal: AbortSignal): Promise<WireAnswers>;
  close(): Promise<void>;
}

/** JSON text of a body for these calls: an object for one call, else an array. */
export function bodyOf(calls: readonly WireCall[]): string {
  return calls.length === 1 ? (calls[0] as WireCall).text : `[${calls.map(({ text }) => text).join(',')}]`;
}

/** Parses the text of an answer. @throws AttemptFailure for text that is not JSON */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AttemptFailure('failed', 'the answer is not JSON');
  }
}

/** Sorts an answer to calls by id. Unknown and repeated ids are ignored. @throws AttemptFailure for another shape */
export function answersOf(value: unknown, calls: readonly WireCall[]): WireAnswers {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wanted = new Set(calls.map(({ id }) => id));
  const byId = new Map<number, WireAnswer>();
  for (const entry of entries) {
    if (typeof entry !== 'object' || entry === null) continue;
    const answer = entry as WireAnswer;
    if (typeof answer.id === 'number' && wanted.has(answer.id) && !byId.has(answer.id)) byId.set(answer.id, answer);
    else if (!Array.isArray(value) && answer.error) return { byId, batchError: answer.error };
  }
  if (byId.size === 0) throw new AttemptFailure('failed', 'the answer matches no call');
  return { byId };
}
