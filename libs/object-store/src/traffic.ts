import { type ObjectOperation, type ObjectTraffic, objectOperations } from './object-store.ts';

type Counts = { requests: number; failures: number; bytesSent: number; bytesReceived: number; open: number };

/** Counts of requests and bytes by operation. */
export class TrafficCounter {
  readonly #counts = new Map<ObjectOperation, Counts>(
    objectOperations.map((operation) => [
      operation,
      { requests: 0, failures: 0, bytesSent: 0, bytesReceived: 0, open: 0 },
    ]),
  );

  add(operation: ObjectOperation, more: Partial<Counts>): void {
    const counts = this.#counts.get(operation);
    if (counts === undefined) return;
    counts.requests += more.requests ?? 0;
    counts.failures += more.failures ?? 0;
    counts.bytesSent += more.bytesSent ?? 0;
    counts.bytesReceived += more.bytesReceived ?? 0;
    counts.open += more.open ?? 0;
  }

  snapshot(): ObjectTraffic {
    const entries = [...this.#counts].map(([operation, counts]) => [operation, { ...counts }]);
    return Object.fromEntries(entries) as ObjectTraffic;
  }
}
