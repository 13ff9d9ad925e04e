import {
  createTraceState,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { type HeaderFields, type TraceContext, traceContextOf, traceHeaders } from './trace-context.ts';
import type { OpenTracingOptions, RequestSpan, SpanAttributes, Tracing } from './tracing.ts';

const closeMs = 2_000;
const problemEveryMs = 60_000;

/** Sends spans to a collector. Loaded only where one is configured. */
export function openCollector({ service, onProblem }: OpenTracingOptions): Tracing {
  tellProblems(onProblem);
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('cairn');
  return {
    start: (headers) => new CollectedSpan(tracer, headers),
    async close() {
      const isLate = new Promise((resolve) => setTimeout(resolve, closeMs).unref());
      await Promise.race([provider.shutdown().catch(() => {}), isLate]);
    },
  };
}

class CollectedSpan implements RequestSpan {
  readonly traceId: string;
  readonly outgoing: Readonly<Record<string, string>>;
  readonly #span: Span;
  readonly #tracer: Tracer;

  constructor(tracer: Tracer, headers: HeaderFields) {
    const sender = traceContextOf(headers);
    this.#tracer = tracer;
    this.#span = tracer.startSpan('request', { kind: SpanKind.SERVER }, sender ? contextOf(sender) : ROOT_CONTEXT);
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
    this.traceId = traceId;
    this.outgoing = traceHeaders({ traceId, parentId: spanId, isSampled, state: sender?.state });
  }

  addPart(
    name: string,
    part: { readonly durationMs: number; readonly isError: boolean; readonly attributes?: SpanAttributes },
  ): void {
    const end = Date.now();
    const context = trace.setSpan(ROOT_CONTEXT, this.#span);
    const options = { kind: SpanKind.INTERNAL, startTime: end - part.durationMs, attributes: { ...part.attributes } };
    const span = this.#tracer.startSpan(name, options, context);
    if (part.isError) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  }

  end(outcome: { readonly name: string; readonly status: number; readonly attributes?: SpanAttributes }): void {
    this.#span.updateName(outcome.name);
    this.#span.setAttributes({ ...outcome.attributes, 'http.response.status_code': outcome.status });
    if (outcome.status >= 500) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}

function contextOf({ traceId, parentId, isSampled, state }: TraceContext) {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const traceState = state === undefined ? {} : { traceState: createTraceState(state) };
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags, isRemote: true, ...traceState });
}

/** A collector that does not answer must not fill the log. */
function tellProblems(onProblem: ((message: string) => void) | undefined): void {
  if (onProblem === undefined) return;
  let quietUntil = 0;
  const tell = (message: string) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + problemEveryMs;
    onProblem(message.slice(0, 500));
  };
  const nothing = () => {};
  diag.setLogger(
    { error: tell, warn: nothing, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
