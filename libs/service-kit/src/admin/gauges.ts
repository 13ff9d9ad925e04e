import { Gauge, type Registry } from 'prom-client';

/** A number that is read when somebody asks; with labels, one for each of what they name. */
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
