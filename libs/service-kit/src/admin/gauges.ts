import { Counter, Gauge, type Registry } from 'prom-client';

/** Registers a number that is read at each scrape; with labels, one number for each label value. */
export function registerGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined | Iterable<readonly [labels: Readonly<Record<string, string>>, value: number]>,
  labelNames: readonly string[] = [],
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      const value = read();
      gauge.reset();
      if (value === undefined) return gauge.remove();
      if (typeof value === 'number') gauge.set(value);
      else for (const [labels, one] of value) gauge.set(labels, one);
    },
  });
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
