// Every request of the gateway passes here; dispatcher.bench.ts counts requests per second.
import { concatBytes, isUtf8, textFromUtf8, utf8FromText } from '@cairn/platform';
import { bindParams } from './bind-params.ts';
import { type AnyMethod, RawJson } from './method.ts';
import { numberIds } from './number-ids.ts';
import { type ParsedRequest, parseRequest } from './parse-request.ts';
import { RpcError } from './rpc-error.ts';
import { checkShape } from './scan-json.ts';
import { Turns } from './turns.ts';

export interface DispatcherLimits {
  /** Longest body in bytes. One connection must not fill the memory. Default 5 MiB. */
  readonly bodyBytesMax: number;
  /** Requests in one batch: each is work of its own. Default 1,000. */
  readonly batchLengthMax: number;
  /** Nesting of brackets: parsing recurses. Default 32. */
  readonly depthMax: number;
  /** Values of one body, counted by commas and brackets: parsing takes up to 2 µs for each. Default 50,000. */
  readonly valuesMax: number;
  /** Requests of one batch that run at once: one client must not take all workers. Default 16. */
  readonly batchConcurrency: number;
  /** Longest answer in characters, as long as geth's BatchResponseMaxSize: it is joined and encoded in one piece. Default 25,000,000. */
  readonly responseCharactersMax: number;
}

export const defaultLimits: DispatcherLimits = {
  bodyBytesMax: 5 * 1024 * 1024,
  batchLengthMax: 1000,
  depthMax: 32,
  valuesMax: 50_000,
  batchConcurrency: 16,
  responseCharactersMax: 25_000_000,
};

/** Answer to a body, a long one already in UTF-8; `undefined` for nothing at all. */
export type Answer = string | Uint8Array | undefined;

/** The answer to one request. */
type Line = string | undefined;

/** One finished request, for logs and metrics. */
export interface DispatchedCall {
  /** Name of a known method; `unknown` for others, so that names made up by callers do not fill metrics. */
  readonly method: string;
  /** Milliseconds. */
  readonly duration: number;
  /** What its definition says; 0 for an unknown method. */
  readonly cost: number;
  /** JSON-RPC error code; absent for a result. */
  readonly errorCode?: number;
  /** False for one that {@link DispatcherOptions.admit} refused. */
  readonly isAdmitted: boolean;
  /** Length of the answer; 0 for a notification. */
  readonly characters: number;
}

export interface DispatcherOptions<Context> {
  readonly methods: readonly AnyMethod<Context>[];
  readonly limits?: Partial<DispatcherLimits>;
  /**
   * The error of the wire for one that a handler threw; `undefined` for one that is not the caller's to know. The
   * caller then gets -32603 with the reference that this function got.
   */
  readonly errorFrom?: (error: unknown, reference: string) => RpcError | undefined;
  /**
   * Throws, or rejects, where the caller has to wait: asked for each request before its parameters are read, also for
   * methods that there are not. At once where it can.
   */
  readonly admit?: (method: AnyMethod<Context> | undefined, context: Context) => Promise<void> | undefined;
  /** Throws where the caller may not; parameters are read by then. */
  readonly authorize?: (method: AnyMethod<Context>, params: readonly unknown[], context: Context) => void;
  readonly onCall?: (call: DispatchedCall, context: Context) => void;
  /** Aborts when the caller is gone: what is left of a batch is not run then. */
  readonly signal?: (context: Context) => AbortSignal;
  /** Time of the event loop that requests share; default one of its own. */
  readonly turns?: Turns;
  /** Advice for names that no method has, such as those of writes: a sentence after the words of geth. */
  readonly unknownMethod?: (name: string) => string | undefined;
  /** Makes references for internal errors. */
  readonly reference?: () => string;
}

/** Bodies that are longer are read one in a turn of the event loop. */
const smallBodyBytes = 64 * 1024;
/** Answers to batches that are longer are encoded in pieces of this length. */
const answerPieceCharacters = 128 * 1024;

/** JSON-RPC 2.0 over text: knows no transport. */
export class Dispatcher<Context> {
  readonly limits: DispatcherLimits;
  readonly #methods: ReadonlyMap<string, AnyMethod<Context>>;
  readonly #options: DispatcherOptions<Context>;
  readonly #turns: Turns;

  constructor(options: DispatcherOptions<Context>) {
    this.#options = options;
    this.#turns = options.turns ?? new Turns();
    this.limits = { ...defaultLimits, ...options.limits };
    this.#methods = new Map(options.methods.map((method) => [method.name, method]));
  }

  /** The methods, for documentation. */
  get methods(): readonly AnyMethod<Context>[] {
    return [...this.#methods.values()];
  }

  /**
   * Answers a body; `undefined` when it holds notifications only. A short single request whose method has its result
   * immediately is answered without a promise. Never throws or rejects.
   */
  handle(body: string | Uint8Array, context: Context): Answer | Promise<Answer> {
    if (body.length <= smallBodyBytes) return this.#turns.run(() => this.#handle(body, context));
    return this.#turns.next().then(() => (this.#isGone(context) ? undefined : this.#handle(body, context)));
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
    // Looked up once for a body: hardly any has an id that needs it.
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

  /** The text of a body that is neither too long, too deep nor too rich to be parsed. */
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
    // One for all requests of a batch that run at one time.
    let pause: Promise<void> | undefined;
    const takeTurn = () => {
      pause ??= this.#turns.next().finally(() => {
        pause = undefined;
      });
      return pause;
    };
    const work = async () => {
      for (let index = next++; index < items.length; index = next++) {
        while (this.#turns.isOver) await takeTurn();
        if (this.#isGone(context)) return;
        const request = requestAt(index, items[index]);
        const answer = await this.#answer(request, context);
        length += answer?.length ?? 0;
        if (length > this.limits.responseCharactersMax) answers[index] = this.#tooLong(request);
        else answers[index] = answer;
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.limits.batchConcurrency, items.length) }, work));
    const told = answers.filter((answer) => answer !== undefined);
    if (told.length === 0) return undefined;
    return length <= answerPieceCharacters ? `[${told.join(',')}]` : this.#encode(told);
  }

  /** The answers of a batch as one body: its pieces are encoded in several turns. */
  async #encode(answers: readonly string[]): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let text = '[';
    for (const [index, answer] of answers.entries()) {
      text += index === 0 ? answer : `,${answer}`;
      if (text.length < answerPieceCharacters) continue;
      while (this.#turns.isOver) await this.#turns.next();
      pieces.push(utf8FromText(text));
      text = '';
    }
    return concatBytes([...pieces, utf8FromText(`${text}]`)]);
  }

  #isGone(context: Context): boolean {
    return this.#options.signal?.(context).aborted ?? false;
  }

  #tooLong({ id }: ParsedRequest): string | undefined {
    const { responseCharactersMax } = this.limits;
    const error = new RpcError(
      'limit',
      `response too large. The answer is longer than ${responseCharactersMax} characters; ask for less in one batch.`,
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
      this.#told(method, start, isAdmitted, answer, undefined, context);
      return answer;
    };
    const fail = (thrown: unknown): Line => {
      const error = this.#errorFrom(thrown);
      const answer = id === undefined ? undefined : errorLine(id, error);
      this.#told(method, start, isAdmitted, answer, error.rpcCode, context);
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

  #told(
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
    // Spelled out: an object that is put together of others takes longer than most requests.
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

  #errorFrom(thrown: unknown): RpcError {
    if (thrown instanceof RpcError) return thrown;
    const reference = this.#options.reference?.() ?? 'none';
    return (
      this.#options.errorFrom?.(thrown, reference) ??
      new RpcError('internal', `Internal error (reference ${reference}).`)
    );
  }
}

/** @throws RpcError `parse`; a mark of the byte order is no part of the text (RFC 8259, section 8.1) */
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

/** One error as a whole answer. */
export function errorLine(id: string, { rpcCode, message, data }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: rpcCode, message, ...(data !== undefined && { data }) })}}`;
}
