import { AggregatorRegistry, Registry } from 'prom-client';
import type { MetricsJson } from './messages.ts';

type AggregatorInput = Parameters<typeof AggregatorRegistry.aggregate>[0];

/** Combines the metrics of processes, each by its own rule: most are summed. */
function aggregate(all: readonly MetricsJson[]): Registry {
  return AggregatorRegistry.aggregate([...all] as unknown as AggregatorInput);
}

/** Metrics of all processes of a service, those that have ended included: a total never falls. */
export class GroupMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #own: Pick<Registry, 'getMetricsAsJSON'>;
  readonly #ofWorkers: () => Promise<readonly MetricsJson[]>;
  /** Totals of the processes that have ended. */
  #ended: MetricsJson = [];

  /** @param own metrics of the primary process */
  constructor(own: Pick<Registry, 'getMetricsAsJSON'>, ofWorkers: () => Promise<readonly MetricsJson[]>) {
    this.#own = own;
    this.#ofWorkers = ofWorkers;
  }

  /** Adds the totals of a process that has ended. Its other numbers end with it. */
  async addEnded(metrics: MetricsJson): Promise<void> {
    const totals = metrics.filter((metric) => 'type' in metric && metric.type !== 'gauge');
    this.#ended = await aggregate([this.#ended, totals]).getMetricsAsJSON();
  }

  async metrics(): Promise<string> {
    const workers = await this.#ofWorkers();
    const own = await this.#own.getMetricsAsJSON();
    // Workers come first: a metric has the rule of the first registry.
    return await aggregate([...workers, own, this.#ended]).metrics();
  }
}
