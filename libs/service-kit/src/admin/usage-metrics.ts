import { Counter, type Registry } from 'prom-client';

/** Counts of one operation since the start of the service: rate, errors, duration. */
export interface OperationCounts {
  readonly operation: string;
  /** Empty for services without networks. */
  readonly network: string;
  readonly requests: number;
  readonly errors: number;
  /** Errors that a limit caused. */
  readonly limited: number;
  readonly credits: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly gas: number;
  readonly durationUs: number;
  /** Requests by latency bound. The last count holds those above the last bound. */
  readonly latency: readonly number[];
}

export interface UsageMetricsOptions {
  readonly counts: () => Iterable<OperationCounts>;
  /** Upper bounds of `latency`, in milliseconds. */
  readonly boundsMs: readonly number[];
}

/** Registers requests by operation and network. They are read at each scrape, so that requests pay nothing. */
export function registerUsageMetrics(registry: Registry, { counts, boundsMs }: UsageMetricsOptions): void {
  const each = (
    name: string,
    help: string,
    labelNames: readonly string[],
    tell: (row: OperationCounts, set: (labels: Record<string, string>, value: number) => void) => void,
  ) => {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        counter.reset();
        for (const row of counts()) {
          const labels = { operation: row.operation, network: row.network };
          tell(row, (more, value) => counter.inc({ ...labels, ...more }, value));
        }
      },
    });
  };
  const both = ['operation', 'network'];
  each('cairn_requests_total', 'Requests that have ended, by how.', [...both, 'outcome'], (row, set) => {
    set({ outcome: 'ok' }, row.requests - row.errors);
    set({ outcome: 'error' }, row.errors - row.limited);
    set({ outcome: 'limited' }, row.limited);
  });
  each('cairn_credits_total', 'Credits that requests cost.', both, (row, set) => set({}, row.credits));
  each('cairn_gas_total', 'Gas that calls used.', both, (row, set) => set({}, row.gas));
  each('cairn_received_bytes_total', 'Bytes received.', both, (row, set) => set({}, row.bytesIn));
  each('cairn_sent_bytes_total', 'Bytes sent.', both, (row, set) => set({}, row.bytesOut));
  each('cairn_request_duration_seconds_bucket', 'Time of requests.', [...both, 'le'], (row, set) => {
    let below = 0;
    for (const [index, count] of row.latency.entries()) {
      below += count;
      const bound = boundsMs[index];
      set({ le: bound === undefined ? '+Inf' : String(bound / 1000) }, below);
    }
  });
  each('cairn_request_duration_seconds_sum', 'Time of requests, summed.', both, (row, set) =>
    set({}, row.durationUs / 1e6),
  );
  each('cairn_request_duration_seconds_count', 'Requests that were timed.', both, (row, set) => set({}, row.requests));
}
