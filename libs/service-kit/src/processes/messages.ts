import type { Dependency } from '../health.ts';

/** Metrics as `Registry.getMetricsAsJSON` returns them. */
export type MetricsJson = readonly object[];

/** Variable by which the primary process gives a worker process its {@link WorkerStart}. */
export const workerVariable = 'SERVICE_PROCESS';

/** Task of a worker process. */
export interface WorkerStart {
  /** Place of the process, from 1 to `count`. Its replacement takes the same one. */
  readonly slot: number;
  readonly count: number;
  readonly leads: boolean;
  /** Listens only when its dependencies can be used, since other processes serve meanwhile. */
  readonly listensWhenReady: boolean;
}

/** Messages from a worker process to the primary process. */
export type FromWorker =
  /** The process reads messages from now on. */
  | { readonly kind: 'open' }
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'publish'; readonly topic: string; readonly value: unknown; readonly keep: number }
  | { readonly kind: 'inform'; readonly id: number; readonly topic: string; readonly value: unknown }
  | { readonly kind: 'received'; readonly receipt: number }
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly parameters: readonly unknown[] }
  | {
      readonly kind: 'state';
      readonly id: number;
      readonly metrics: MetricsJson;
      readonly dependencies: readonly Dependency[];
    };

/** Messages from the primary process to a worker process. */
export type ToWorker =
  | { readonly kind: 'lead' }
  | { readonly kind: 'drain'; readonly lingers: boolean }
  | { readonly kind: 'published'; readonly topic: string; readonly value: unknown; readonly receipt?: number }
  | { readonly kind: 'result'; readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly kind: 'ask'; readonly id: number; readonly of: 'metrics' | 'health' };
