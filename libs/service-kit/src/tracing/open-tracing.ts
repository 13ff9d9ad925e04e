import { type OpenTracingOptions, passingTracing, type Tracing } from './tracing.ts';

/**
 * Opens tracing as OpenTelemetry's environment variables configure it: OTLP over HTTP to
 * `OTEL_EXPORTER_OTLP_ENDPOINT` (or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`). Without an endpoint OpenTelemetry is not
 * loaded. See https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/.
 */
export async function openTracing(options: OpenTracingOptions): Promise<Tracing> {
  const { env = process.env } = options;
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  if (!endpoint || isOff) return passingTracing;
  const { openCollector } = await import('./open-telemetry.ts');
  return openCollector(options);
}
