import type { Registry } from 'prom-client';
import type { Dependency } from '../health.ts';
import { registerCounter, registerGauge } from './gauges.ts';

/** State of an engine, such as a database, that replicas of a service share. */
export interface Engine extends Dependency {
  readonly gauges: Readonly<Record<string, number>>;
  /** Totals since the engine was opened. */
  readonly counters: Readonly<Record<string, number>>;
  /** Failed calls by code. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Registers state, numbers and failures of the engines. They are read at each scrape, without a request to an engine. */
export function registerEngineMetrics(registry: Registry, engines: () => readonly Engine[]): void {
  const each = (read: (engine: Engine) => Readonly<Record<string, number>>, label: string) => () =>
    engines().flatMap((engine) =>
      Object.entries(read(engine)).map(([key, value]) => [{ engine: engine.name, [label]: key }, value] as const),
    );
  const up = () =>
    engines().map(({ name, problem, warning }) => [{ engine: name }, (problem ?? warning) ? 0 : 1] as const);
  registerGauge(registry, 'cairn_engine_up', 'Whether the last check of the engine succeeded.', up, ['engine'], 'min');
  const gauges = each(({ gauges }) => gauges, 'of');
  registerGauge(registry, 'cairn_engine_state', 'Connections and waiting calls of the engine.', gauges, [
    'engine',
    'of',
  ]);
  const work = { name: 'cairn_engine_work_total', help: 'Work of the engine since its opening.' };
  registerCounter(
    registry,
    { ...work, labelNames: ['engine', 'of'] },
    each(({ counters }) => counters, 'of'),
  );
  const failures = { name: 'cairn_engine_failures_total', help: 'Failed calls of the engine since its opening.' };
  registerCounter(
    registry,
    { ...failures, labelNames: ['engine', 'code'] },
    each(({ failures }) => failures, 'code'),
  );
}
