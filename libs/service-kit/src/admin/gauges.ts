import { Gauge, type Registry } from 'prom-client';

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
