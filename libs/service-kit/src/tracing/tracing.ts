import { type HeaderFields, traceContextOf, traceHeaders } from './trace-context.ts';

/**
 * Attributes of a span, named by OpenTelemetry's semantic conventions where one exists. Keys and secrets never enter
 * them.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request in its distributed trace. */
export interface RequestSpan {
  /** 32 hexadecimal digits, for the log. */
  readonly traceId: string;
  /** Header fields for requests to other services on behalf of this one. */
  readonly outgoing: Readonly<Record<string, string>>;
  /** Adds a part of the request that has just ended. */
  addPart(name: string, part: { readonly durationMs: number; readonly isError: boolean } & SpanPart): void;
  /** Ends the span. Statuses from 500 on are errors. */
  end(outcome: { readonly name: string; readonly status: number } & SpanPart): void;
}

interface SpanPart {
  readonly attributes?: SpanAttributes;
}

/** Distributed tracing of requests, over OTLP/HTTP where the environment configures it. */
export interface Tracing {
  /**
   * Starts the span of a request. Without a collector the span only propagates the context of the sender; it is
   * `undefined` where there is none. This common case costs one header lookup.
   */
  start(headers: HeaderFields): RequestSpan | undefined;
  /** Sends remaining spans, for at most two seconds. */
  close(): Promise<void>;
}

/** Collects nothing. */
export const passingTracing: Tracing = {
  start(headers) {
    const context = traceContextOf(headers);
    if (context === undefined) return undefined;
    return { traceId: context.traceId, outgoing: traceHeaders(context), addPart: () => {}, end: () => {} };
  },
  close: () => Promise.resolve(),
};

export interface OpenTracingOptions {
  /** Service name where `OTEL_SERVICE_NAME` is not set. */
  readonly service: string;
  /** Default: the environment of the process. Exporter and sampler always read that one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called at most once a minute with the reason why spans do not reach the collector. */
  readonly onProblem?: (message: string) => void;
}
