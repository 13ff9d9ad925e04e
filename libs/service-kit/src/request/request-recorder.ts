import { errorChain, isCairnError } from '@cairn/errors';
import type { Logger } from '../logger.ts';
import type { HeaderFields } from '../tracing/trace-context.ts';
import type { RequestSpan, SpanAttributes, Tracing } from '../tracing/tracing.ts';
import { requestId } from './request-id.ts';

/** Caller of a request: the part of an authenticated principal that log lines name. */
export interface RecordedCaller {
  readonly account: { readonly id: string };
  readonly key: { readonly reference: string };
}

/** Result of a request, for the meter of its account. */
export interface MeterOutcome {
  readonly status: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly isFailed: boolean;
  /** Thrown error, where there was one. */
  readonly failure: unknown;
  /** Id and origin of the request, for the log of its account. */
  readonly request: RequestNames;
}

/** Names of a request: its id, and the value of the header Origin. */
export interface RequestNames {
  readonly id: string;
  readonly origin: string | undefined;
}

/** Meter of one request. */
export interface RecordedMeter {
  /** Counts for the log line, such as credits. */
  readonly logFields: Readonly<Record<string, unknown>>;
  end(outcome: MeterOutcome): void;
}

export interface RequestOutcome {
  /** Name of the span: method and route, without any key. */
  readonly name: string;
  readonly status: number;
  readonly bytesIn?: number;
  readonly bytesOut?: number;
  /** Default: whether there is a failure, or a status from 400 on. */
  readonly isFailed?: boolean;
  /** Whether the service caused the failure: the line is logged at `error`, with a stack. Default false. */
  readonly isServiceFault?: boolean;
  /** Attributes of the span beside the request id. */
  readonly attributes?: SpanAttributes | undefined;
  /** Fields of the log line beside those that every line has. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Message of the log line. Default `request`. */
  readonly message?: string;
}

/**
 * Records each request once: its id, its span, its meter and its log line. A handler starts a record, fills in the caller,
 * the meter and the failure when it has them, and ends the record with the answer.
 */
export class RequestRecorder {
  readonly #logger: Logger;
  readonly #tracing: Tracing;

  constructor({ logger, tracing }: { readonly logger: Logger; readonly tracing: Tracing }) {
    this.#logger = logger;
    this.#tracing = tracing;
  }

  /** Starts the record of a request. `id` is given where several requests share one, such as messages of a socket. */
  start<Meter extends RecordedMeter = RecordedMeter, Caller extends RecordedCaller = RecordedCaller>(
    headers: HeaderFields,
    id = requestId({ headers }),
  ): RequestRecord<Meter, Caller> {
    return new RequestRecord<Meter, Caller>(this.#logger, this.#tracing.start(headers), {
      id,
      origin: originOf(headers),
    });
  }
}

/** Record of one request. */
export class RequestRecord<
  Meter extends RecordedMeter = RecordedMeter,
  Caller extends RecordedCaller = RecordedCaller,
> {
  readonly id: string;
  readonly origin: string | undefined;
  readonly span: RequestSpan | undefined;
  caller: Caller | undefined = undefined;
  meter: Meter | undefined = undefined;
  /** Error that ended the request. */
  failure: unknown = undefined;
  readonly #startMs = performance.now();
  readonly #logger: Logger;

  constructor(logger: Logger, span: RequestSpan | undefined, { id, origin }: RequestNames) {
    this.#logger = logger;
    this.span = span;
    this.id = id;
    this.origin = origin;
  }

  /** Ends meter and span, and writes the log line. Called once. */
  end(outcome: RequestOutcome): void {
    const { name, status, bytesIn = 0, bytesOut = 0, attributes, isServiceFault = false } = outcome;
    const { id, span, meter, failure } = this;
    const isFailed = outcome.isFailed ?? (failure !== undefined || status >= 400);
    meter?.end({ status, bytesIn, bytesOut, isFailed, failure, request: this });
    span?.end({ name, status, attributes: { ...attributes, 'cairn.request_id': id } });
    if (isServiceFault)
      this.#logger.error(
        { ...this.#line(outcome), stack: failure instanceof Error ? failure.stack : undefined },
        'request failed',
      );
    else if (this.#logger.isLevelEnabled('info')) this.#logger.info(this.#line(outcome), outcome.message ?? 'request');
  }

  #line({ status, bytesIn, bytesOut, fields }: RequestOutcome) {
    const { id, span, caller, meter, failure } = this;
    return {
      requestId: id,
      traceId: span?.traceId,
      ...fields,
      ...(caller && { account: caller.account.id, key: caller.key.reference }),
      bytesIn,
      bytesOut,
      ...meter?.logFields,
      status,
      durationMs: Math.round((performance.now() - this.#startMs) * 10) / 10,
      ...(failure !== undefined && { causes: errorChain(failure) }),
    };
  }
}

/**
 * Names the error of a failed request for the log of its account: the code of a Cairn error, else the HTTP status. `limit` is the limit
 * that refused the request.
 */
export function errorOf(
  failure: unknown,
  status: number | undefined,
): { readonly error?: string; readonly limit?: string } {
  if (isCairnError(failure, 'LIMIT_REACHED')) return { error: failure.code, limit: String(failure.details.limit) };
  if (isCairnError(failure)) return { error: failure.code };
  return status === undefined ? {} : { error: String(status) };
}

const originCharactersMax = 256;

function originOf({ origin }: HeaderFields): string | undefined {
  return typeof origin === 'string' ? origin.slice(0, originCharactersMax) : undefined;
}
