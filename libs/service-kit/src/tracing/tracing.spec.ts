import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openTracing } from './open-tracing.ts';
import { traceContextOf, traceHeaders } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const sent = { traceparent: `00-${traceId}-${parentId}-01`, tracestate: 'vendor=1' };

describe('trace context', () => {
  test('parses the examples of the recommendation', () => {
    expect(traceContextOf(sent)).toEqual({ traceId, parentId, isSampled: true, state: 'vendor=1' });
    expect(traceContextOf({ traceparent: `00-${traceId}-${parentId}-00` })).toMatchObject({ isSampled: false });
    expect(traceContextOf({ traceparent: `cc-${traceId}-${parentId}-01-more` })).toMatchObject({ traceId });
  });

  test.each([
    undefined,
    '',
    `ff-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId}-${parentId}-1`,
    `00-${traceId}-${parentId}-01\r\nx: y`,
  ])('%j is none', (traceparent) => {
    expect(traceContextOf({ traceparent })).toBeUndefined();
  });

  test('propagates a parsed context unchanged and nothing else', () => {
    fc.assert(
      fc.property(fc.string(), (traceparent) => {
        const context = traceContextOf({ traceparent });
        if (context !== undefined) expect(traceContextOf(traceHeaders(context))).toEqual(context);
      }),
    );
    const context = traceContextOf(sent);
    expect(context && traceHeaders(context)).toEqual(sent);
    expect(traceContextOf({ ...sent, tracestate: 'x'.repeat(513) })?.state).toBeUndefined();
  });
});

test('without a collector, a request without a trace has no span, and another propagates its own', async () => {
  const tracing = await openTracing({ service: 'test', env: {} });
  expect(tracing.start({})).toBeUndefined();
  const span = tracing.start(sent);
  expect(span).toMatchObject({ traceId, outgoing: sent });
  span?.end({ name: 'x', status: 200 });
  await tracing.close();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' };
  expect((await openTracing({ service: 'test', env })).start({})).toBeUndefined();
});

describe('with a collector', () => {
  let collector: Server;
  let bodies: string[];
  beforeEach(async () => {
    bodies = [];
    collector = createServer(async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString());
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT;
    collector.close();
    collector.closeAllConnections();
  });

  test('a request and its parts are spans of the trace of the sender', async () => {
    const tracing = await openTracing({ service: 'storage-api' });
    const span = tracing.start(sent);
    expect(span?.traceId).toBe(traceId);
    span?.addPart('eth_call', { durationMs: 5, isError: true, attributes: { 'rpc.method': 'eth_call' } });
    span?.end({ name: 'POST /v3', status: 503, attributes: { 'http.route': '/v3/:key', absent: undefined } });
    await tracing.close();
    const { resourceSpans } = JSON.parse(bodies.join(''));
    const [{ resource, scopeSpans }] = resourceSpans;
    expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'storage-api' } });
    const [part, request] = scopeSpans[0].spans;
    expect(request).toMatchObject({ traceId, parentSpanId: parentId, name: 'POST /v3', kind: 2, status: { code: 2 } });
    expect(request.attributes).toEqual([
      { key: 'http.route', value: { stringValue: '/v3/:key' } },
      { key: 'http.response.status_code', value: { intValue: 503 } },
    ]);
    expect(part).toMatchObject({ traceId, parentSpanId: request.spanId, name: 'eth_call', status: { code: 2 } });
    expect(Number(part.endTimeUnixNano) - Number(part.startTimeUnixNano)).toBeCloseTo(5e6, -5);
    expect(span?.outgoing).toEqual({ traceparent: `00-${traceId}-${request.spanId}-01`, tracestate: 'vendor=1' });
  });

  test('a collector that does not answer is reported once and delays no request', async () => {
    collector.close();
    process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '500';
    const problems: string[] = [];
    const tracing = await openTracing({ service: 'test', onProblem: (message) => problems.push(message) });
    for (let n = 0; n < 10; n++) tracing.start({})?.end({ name: 'x', status: 200 });
    await tracing.close();
    expect(problems.length).toBeLessThanOrEqual(1);
  });
});
