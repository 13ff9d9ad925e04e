import { Counter, Gauge, type Registry } from 'prom-client';

type Reading = number | undefined | Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>;

/** Number of a service of several processes: their sum, or for state that all of them see, the largest or the smallest one. */
export type GaugeOfGroup = 'sum' | 'max' | 'min';

/**
 * Registers a number that is read at each scrape; with labels, one number for each label value. A reading that fails, such as
 * that of a store that is away, leaves the number out, so that the other metrics remain readable.
 */
export function registerGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => Reading | Promise<Reading>,
  labelNames: readonly string[] = [],
  aggregator: GaugeOfGroup = 'sum',
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    aggregator,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      const value = await readingOf(read);
      gauge.reset();
      if (value === undefined) {
        // Without labels a reset number is 0; with labels it is gone.
        if (labelNames.length === 0) gauge.remove();
        return;
      }
      if (typeof value === 'number') gauge.set(value);
      else for (const [labels, one] of value) gauge.set(labels, one);
    },
  });
}

async function readingOf(read: () => Reading | Promise<Reading>): Promise<Reading> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

/** Registers a counter whose values are read at each scrape. `read` must return totals that never fall while the process runs. */
export function registerCounter(
  registry: Registry,
  { name, help, labelNames }: { readonly name: string; readonly help: string; readonly labelNames: readonly string[] },
  read: () => Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>,
): void {
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      counter.reset();
      for (const [labels, value] of read()) counter.inc(labels, value);
    },
  });
}
