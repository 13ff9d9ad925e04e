// Hot path: every JSON-RPC request passes here. dispatcher.bench.ts measures requests per second.
import { concatBytes, isUtf8, textFromUtf8, utf8FromText } from '@cairn/platform';
import { bindParams } from './bind-params.ts';
import {
  type DispatchedCall,
  type DispatcherLimits,
  type DispatcherOptions,
  limitsFrom,
} from './dispatcher-options.ts';
import { EventLoopScheduler } from './event-loop-scheduler.ts';
import { type AnyMethod, RawJson } from './method.ts';
import { numberIds } from './number-ids.ts';
import { type ParsedRequest, parseRequest } from './parse-request.ts';
import { RpcError } from './rpc-error.ts';
import { checkShape } from './scan-json.ts';

/** Answer to a body. Long answers are encoded in UTF-8. `undefined` if no answer is sent. */
export type Answer = string | Uint8Array | undefined;

/** Answer to one request; `undefined` for a notification. */
type Line = string | undefined;

/** Length in bytes above which bodies are parsed one per turn of the event loop. */
const smallBodyBytes = 64 * 1024;
/** Longer answers to batches are encoded in pieces of this length. */
const answerPieceCharacters = 128 * 1024;

/** Executes JSON-RPC 2.0 bodies, independent of any transport. */
export class Dispatcher<Context> {
  readonly limits: DispatcherLimits;
  readonly #methods: ReadonlyMap<string, AnyMethod<Context>>;
  readonly #options: DispatcherOptions<Context>;
  readonly #scheduler: EventLoopScheduler;

  /** @throws VALUE_INVALID for a limit below 1 */
  constructor(options: DispatcherOptions<Context>) {
    this.#options = options;
    this.#scheduler = options.scheduler ?? new EventLoopScheduler();
    this.limits = limitsFrom(options.limits);
    this.#methods = new Map(options.methods.map((method) => [method.name, method]));
  }

  /** The methods, for documentation. */
  get methods(): readonly AnyMethod<Context>[] {
    return [...this.#methods.values()];
  }

  /**
   * Answers a body; `undefined` if it holds notifications only. The answer to a short single request whose method returns its result
   * immediately comes without a promise. Never throws or rejects.
   */
  handle(body: string | Uint8Array, context: Context): Answer | Promise<Answer> {
    if (body.length <= smallBodyBytes) return this.#scheduler.run(() => this.#handle(body, context));
    return this.#scheduler.nextSlice().then(() => (this.#isAborted(context) ? undefined : this.#handle(body, context)));
  }

  #handle(body: string | Uint8Array, context: Context): Answer | Promise<Answer> {
    let text: string;
    let parsed: unknown;
    try {
      text = this.#read(body);
      parsed = JSON.parse(text);
    } catch (error) {
      return errorLine('null', error instanceof RpcError ? error : notJson());
    }
    // Computed once per body, and only if an id needs it.
    let ids: readonly (string | undefined)[] | undefined;
    const requestAt = (index: number, value: unknown) =>
      parseRequest(value, () => {
        ids ??= numberIds(text);
        return ids[index];
      });
    if (!Array.isArray(parsed)) return this.#answer(requestAt(0, parsed), context);
    if (parsed.length === 0)
      return errorLine('null', new RpcError('request', 'empty batch. Send one request or more.'));
    const { batchLengthMax } = this.limits;
    if (parsed.length > batchLengthMax) {
      return errorLine(
        'null',
        new RpcError('limit', `batch too large. A batch may hold ${batchLengthMax} requests, not ${parsed.length}.`, {
          limit: 'batch',
          batchLengthMax,
        }),
      );
    }
    return this.#answerBatch(parsed, requestAt, context);
  }

  /** Decodes a body and checks its length, depth and number of values. */
  #read(body: string | Uint8Array): string {
    const { bodyBytesMax } = this.limits;
    if (body.length > bodyBytesMax)
      throw new RpcError('limit', `The body is longer than ${bodyBytesMax} bytes.`, { limit: 'body', bodyBytesMax });
    const text = typeof body === 'string' ? body : decodeUtf8(body);
    checkShape(text, this.limits);
    return text;
  }

  async #answerBatch(
    items: readonly unknown[],
    requestAt: (index: number, value: unknown) => ParsedRequest,
    context: Context,
  ): Promise<Answer> {
    const answers: (string | undefined)[] = new Array(items.length);
    let next = 0;
    let length = 0;
    // Shared by all concurrent requests of a batch.
    let pause: Promise<void> | undefined;
    const nextSlice = () => {
      pause ??= this.#scheduler.nextSlice().finally(() => {
        pause = undefined;
      });
      return pause;
    };
    const work = async () => {
      for (let index = next++; index < items.length; index = next++) {
        while (this.#scheduler.isSliceOver) await nextSlice();
        if (this.#isAborted(context)) return;
        const request = requestAt(index, items[index]);
        const answer = await this.#answer(request, context);
        length += answer?.length ?? 0;
        if (length > this.limits.responseCharactersMax) answers[index] = this.#tooLong(request);
        else answers[index] = answer;
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.limits.batchConcurrency, items.length) }, work));
    const lines = answers.filter((answer) => answer !== undefined);
    if (lines.length === 0) return undefined;
    return length <= answerPieceCharacters ? `[${lines.join(',')}]` : this.#encode(lines);
  }

  /** Joins and encodes the answers of a batch, in time slices. */
  async #encode(answers: readonly string[]): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let text = '[';
    for (const [index, answer] of answers.entries()) {
      text += index === 0 ? answer : `,${answer}`;
      if (text.length < answerPieceCharacters) continue;
      while (this.#scheduler.isSliceOver) await this.#scheduler.nextSlice();
      pieces.push(utf8FromText(text));
      text = '';
    }
    return concatBytes([...pieces, utf8FromText(`${text}]`)]);
  }

  #isAborted(context: Context): boolean {
    return this.#options.signal?.(context).aborted ?? false;
  }

  #tooLong({ id }: ParsedRequest): string | undefined {
    const { responseCharactersMax } = this.limits;
    const error = new RpcError(
      'limit',
      `response too large. The answer is longer than ${responseCharactersMax} characters; split the batch.`,
      { limit: 'response', responseCharactersMax },
    );
    return id === undefined ? undefined : errorLine(id, error);
  }

  #answer(request: ParsedRequest, context: Context): Line | Promise<Line> {
    const start = performance.now();
    const { id } = request;
    const method = 'error' in request ? undefined : this.#methods.get(request.method);
    let isAdmitted = false;
    const succeed = (result: unknown): Line => {
      const answer = id === undefined ? undefined : `{"jsonrpc":"2.0","id":${id},"result":${serialize(result)}}`;
      this.#report(method, start, isAdmitted, answer, undefined, context);
      return answer;
    };
    const fail = (thrown: unknown): Line => {
      const { error, answer } = this.#failure(thrown, id);
      this.#report(method, start, isAdmitted, answer, error.rpcCode, context);
      return answer;
    };
    const run = (): Line | Promise<Line> => {
      isAdmitted = true;
      if ('error' in request) throw request.error;
      if (method === undefined) throw this.#unknown(request.method);
      const params = bindParams(method, request.params);
      this.#options.authorize?.(method, params, context);
      const result = method.handle(params as readonly never[], context);
      return result instanceof Promise ? result.then(succeed).catch(fail) : succeed(result);
    };
    try {
      const admitted = this.#options.admit?.(method, context);
      return admitted === undefined ? run() : admitted.then(run).catch(fail);
    } catch (thrown) {
      return fail(thrown);
    }
  }

  #report(
    method: AnyMethod<Context> | undefined,
    start: number,
    isAdmitted: boolean,
    answer: Line,
    errorCode: number | undefined,
    context: Context,
  ): void {
    if (this.#options.onCall === undefined) return;
    const cost = method === undefined ? 0 : (method.cost ?? 1);
    const duration = performance.now() - start;
    const characters = answer?.length ?? 0;
    // Written out: spreading objects takes longer than most requests.
    const name = method?.name ?? 'unknown';
    const call: DispatchedCall =
      errorCode === undefined
        ? { method: name, cost, duration, characters, isAdmitted }
        : { method: name, cost, duration, characters, isAdmitted, errorCode };
    this.#options.onCall(call, context);
  }

  #unknown(name: string): RpcError {
    const advice = this.#options.unknownMethod?.(name);
    return new RpcError(
      'method',
      `the method ${name} does not exist/is not available${advice === undefined ? '' : `. ${advice}`}`,
    );
  }

  /** Converts an error, and serializes it if an answer is sent. */
  #failure(thrown: unknown, id: string | undefined): { readonly error: RpcError; readonly answer: Line } {
    const error = this.#errorFrom(thrown);
    if (id === undefined) return { error, answer: undefined };
    try {
      return { error, answer: errorLine(id, error) };
    } catch (unserializable) {
      // JSON has no form for the `data`, for example a bigint. The fault is of the method.
      const { message } = this.#errorFrom(unserializable);
      const fault = new RpcError('internal', message);
      return { error: fault, answer: errorLine(id, fault) };
    }
  }

  #errorFrom(thrown: unknown): RpcError {
    if (thrown instanceof RpcError) return thrown;
    const reference = this.#options.reference?.() ?? 'none';
    return (
      this.#options.errorFrom?.(thrown, reference) ??
      new RpcError('internal', `Internal error (reference ${reference}).`)
    );
  }
}

/** Decodes UTF-8 and skips a byte order mark (RFC 8259, section 8.1). @throws RpcError `parse` */
function decodeUtf8(body: Uint8Array): string {
  if (!isUtf8(body)) throw notJson();
  const text = textFromUtf8(body);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function notJson(): RpcError {
  return new RpcError('parse', 'parse error. The body is not valid JSON in UTF-8.');
}

function serialize(result: unknown): string {
  return result instanceof RawJson ? result.json : (JSON.stringify(result) ?? 'null');
}

/** Serializes an error as a complete answer. */
export function errorLine(id: string, { rpcCode, message, data }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: rpcCode, message, ...(data !== undefined && { data }) })}}`;
}
