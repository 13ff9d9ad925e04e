import type { BeaconNetwork, LightClientEvent } from '@cairn/light-client';
import type { NamedHeads } from '@cairn/proven-chain';

/** Data for the start of a light client thread. */
export interface LightClientWorkerData {
  readonly network: BeaconNetwork;
  /** URLs of beacon nodes. They may contain keys: never log them. */
  readonly beacons: readonly string[];
  readonly checkpoint: string;
  /** File that keeps the verified state for the next start. */
  readonly stateFile: string;
}

/** Messages of the thread. Events of nodes name hosts only. */
export type LightClientWorkerEvent =
  | { readonly kind: 'heads'; readonly heads: NamedHeads }
  | ({ readonly kind: 'node' } & LightClientEvent)
  /** The client could not start; it tries again. */
  | { readonly kind: 'failed'; readonly reason: string };
