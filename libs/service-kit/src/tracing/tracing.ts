import { type HeaderFields, traceContextOf, traceHeaders } from './trace-context.ts';

/** What is said of a span: names of OpenTelemetry's semantic conventions where there is one. Never a key, never a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request in its trace. */
export interface RequestSpan {
  /** 32 hexadecimal digits, for the log. */
  readonly traceId: string;
  /** Header fields of what is asked of other services on behalf of this request. */
  readonly outgoing: Readonly<Record<string, string>>;
  /** Adds a part of the request that has just ended. */
  addPart(name: string, part: { readonly durationMs: number; readonly isError: boolean } & SpanPart): void;
  /** Ends it. Statuses from 500 on are errors. */
  end(outcome: { readonly name: string; readonly status: number } & SpanPart): void;
}

interface SpanPart {
  readonly attributes?: SpanAttributes;
}

/** Traces of requests, over OTLP/HTTP where the environment says so. */
export interface Tracing {
  /**
   * The span of a request that begins now. Where nothing collects traces it only passes on what the sender said of its own
   * trace, and is `undefined` where that is nothing: the common case, which costs one look at the header fields.
   */
  start(headers: HeaderFields): RequestSpan | undefined;
  /** Sends what is left, for two seconds at most. */
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
  /** Name of the service where `OTEL_SERVICE_NAME` gives no other. */
  readonly service: string;
  /** Default: that of the process. The exporter and the sampler read the process's in any case. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told, at most once a minute, why traces do not reach their collector. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Traces as OpenTelemetry's environment variables have them: sent to `OTEL_EXPORTER_OTLP_ENDPOINT` (or
 * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`) as OTLP over HTTP; without one, nothing of OpenTelemetry is even loaded.
 * See https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/.
 */
export async function openTracing(options: OpenTracingOptions): Promise<Tracing> {
  const { env = process.env } = options;
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  if (!endpoint || isOff) return passingTracing;
  const { openCollector } = await import('./open-telemetry.ts');
  return openCollector(options);
}
