import { hasConformanceCases } from '@cairn/block-model/testing';
import { expect, test } from '@jest/globals';
import { comparable, recordedTraces } from './recorded-traces.fixture.ts';

/** Tracers by folder of geth's test data. */
const tracers = {
  call_tracer: 'callTracer',
  call_tracer_withLog: 'callTracer',
  call_tracer_legacy: 'callTracerLegacy',
  call_tracer_flat: 'flatCallTracer',
  prestate_tracer: 'prestateTracer',
  prestate_tracer_with_diff_mode: 'prestateTracer',
  erc7562_tracer: 'erc7562Tracer',
} as const;

for (const [folder, tracer] of Object.entries(tracers)) {
  const cases = hasConformanceCases ? recordedTraces(folder).map((recorded) => [recorded.name, recorded] as const) : [];
  if (cases.length === 0) test.skip(`${tracer}: recorded traces are not beside the repository`, () => undefined);
  else
    test.each(cases)(`${tracer} returns the trace that geth recorded in %s`, async (_, { expected, run }) => {
      expect(comparable(await run(tracer))).toEqual(comparable(expected));
    });
}
