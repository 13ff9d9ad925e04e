import { expect, test } from '@jest/globals';
import { createLogger } from '../logger.ts';
import type { RequestSpan } from '../tracing/tracing.ts';
import { type MeterOutcome, RequestRecorder } from './request-recorder.ts';

type Line = Readonly<Record<string, unknown>>;

function fixture(level = 'info') {
  const lines: { level: string; line: Line; message: string }[] = [];
  const spans: unknown[] = [];
  const metered: MeterOutcome[] = [];
  const logger = createLogger({ name: 'test', level });
  const write = (name: string) => (line: Line, message: string) => void lines.push({ level: name, line, message });
  Object.assign(logger, { info: write('info'), error: write('error') });
  const span: RequestSpan = {
    traceId: 'a'.repeat(32),
    outgoing: {},
    addPart: () => {},
    end: (outcome) => void spans.push(outcome),
  };
  const tracing = { start: () => span, close: () => Promise.resolve() };
  const meter = { logFields: { credits: 3 }, end: (outcome: MeterOutcome) => void metered.push(outcome) };
  return { recorder: new RequestRecorder({ logger, tracing }), lines, spans, metered, meter };
}

test('end writes one line and ends meter and span with the same outcome', () => {
  const { recorder, lines, spans, metered, meter } = fixture();
  const record = recorder.start({ 'x-request-id': 'one' });
  record.caller = { account: { id: 'acme' }, key: { reference: 'k1' } };
  record.meter = meter;
  record.end({ name: 'POST /x', status: 200, bytesIn: 4, bytesOut: 5, fields: { command: 'x' }, attributes: { a: 1 } });
  expect(metered).toEqual([
    { status: 200, bytesIn: 4, bytesOut: 5, isFailed: false, failure: undefined, request: record },
  ]);
  expect(spans).toEqual([{ name: 'POST /x', status: 200, attributes: { a: 1, 'cairn.request_id': 'one' } }]);
  expect(lines).toEqual([
    {
      level: 'info',
      message: 'request',
      line: {
        requestId: 'one',
        traceId: 'a'.repeat(32),
        account: 'acme',
        key: 'k1',
        bytesIn: 4,
        bytesOut: 5,
        credits: 3,
        command: 'x',
        status: 200,
        durationMs: expect.any(Number),
      },
    },
  ]);
});

test('end logs a fault of the service at error with its causes and its stack', () => {
  const { recorder, lines, metered, meter } = fixture();
  const record = recorder.start({});
  record.meter = meter;
  record.failure = new Error('disk full');
  record.end({ name: 'POST /x', status: 500, isServiceFault: true });
  expect(metered[0]).toMatchObject({ isFailed: true, failure: record.failure });
  expect(lines).toMatchObject([
    { level: 'error', message: 'request failed', line: { causes: [expect.stringContaining('disk full')] } },
  ]);
  expect(lines[0]?.line.stack).toContain('request-recorder.spec');
});

test('end logs a failure that the client caused at info without a stack', () => {
  const { recorder, lines } = fixture();
  const record = recorder.start({});
  record.failure = new Error('no such command');
  record.end({ name: 'POST /x', status: 404 });
  expect(lines).toMatchObject([{ level: 'info', message: 'request' }]);
  expect(lines[0]?.line).not.toHaveProperty('stack');
});

test('end builds no line that the level would drop', () => {
  const { recorder, lines, meter } = fixture('warn');
  const record = recorder.start({});
  record.meter = {
    end: meter.end,
    get logFields(): Line {
      throw new Error('read without need');
    },
  };
  record.end({ name: 'POST /x', status: 200 });
  expect(lines).toEqual([]);
});

test('start takes the id of a request that spans several records', () => {
  expect(fixture().recorder.start({ 'x-request-id': 'one' }, 'socket').id).toBe('socket');
});
