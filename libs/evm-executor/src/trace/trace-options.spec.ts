import { describe, expect, test } from '@jest/globals';
import { parseDuration } from './parse-duration.ts';
import { parseTraceOptions } from './trace-options.ts';

describe('parseTraceOptions', () => {
  test.each([
    [{ tracer: 'jsTracer' }, 'one of callTracer'],
    [{ tracer: '{ data: [], step: function(log) {} }' }, 'tracers in JavaScript are not supported'],
    [{ tracer: 'evmdisTracer' }, 'leave it out for single steps'],
    [{ tracer: '' }, 'one of callTracer'],
    [{ limit: 0.5 }, 'a number of characters'],
    [{ enableMemory: 'yes' }, 'config.enableMemory'],
    [{ timeout: 5 }, 'config.timeout'],
    [{ timeout: '5' }, 'time: missing unit in duration "5"'],
    [{ timeout: 'soon' }, 'time: invalid duration "soon"'],
    [{ tracer: 'callTracer', tracerConfig: { withLog: 1 } }, 'config.tracerConfig.withLog'],
    [{ tracer: 'callTracer', tracerConfig: [] }, 'config.tracerConfig'],
    [{ tracer: 'prestateTracer', tracerConfig: { diffMode: true, includeEmpty: true } }, 'cannot use diffMode with'],
    [{ tracer: 'muxTracer', tracerConfig: { structLog: {} } }, 'config.tracerConfig.structLog'],
    [{ tracer: 'erc7562Tracer', tracerConfig: { stackTopItemsSize: -1 } }, 'a number of words from 0'],
  ])('refuses %j', (config, message) => {
    expect(() => parseTraceOptions(config)).toThrow(message);
  });

  test('limits the number of tracers in nested muxTracers', () => {
    const muxed = (depth: number): object => (depth === 0 ? {} : { muxTracer: muxed(depth - 1) });
    expect(parseTraceOptions({ tracer: 'muxTracer', tracerConfig: muxed(15) })).toMatchObject({ tracer: 'muxTracer' });
    expect(() => parseTraceOptions({ tracer: 'muxTracer', tracerConfig: muxed(16) })).toThrow('at most 16 tracers');
  });

  test('parses a timeout in Go’s form', () => {
    expect(parseTraceOptions({ timeout: '1m30s' })).toMatchObject({ tracer: 'structLog', timeoutMs: 90_000 });
  });
});

test.each([
  ['0', 0],
  ['1.5h', 5_400_000],
  ['1h2m3.5s', 3_723_500],
  ['250ms', 250],
  ['1µs', 0.001],
  ['-2s', -2_000],
])('parseDuration reads %s', (text, milliseconds) => {
  expect(parseDuration('timeout', text)).toBeCloseTo(milliseconds);
});
