export { LightClientError, type LightClientErrorCode } from './errors.ts';
export {
  LightClient,
  type LightClientEvent,
  type LightClientHeads,
  type LightClientOptions,
} from './light-client.ts';
export type {
  BeaconHeader,
  ExecutionHeader,
  LightClientBootstrap,
  LightClientHeader,
  LightClientState,
  LightClientUpdate,
  SyncAggregate,
  SyncCommittee,
} from './light-client-data.ts';
export { LightClientStore } from './light-client-store.ts';
export {
  BeaconClock,
  type BeaconFork,
  type BeaconForkName,
  type BeaconNetwork,
  beaconNetwork,
  beaconNetworks,
} from './network.ts';
export { parseBootstrap, parseUpdate } from './parse-beacon.ts';
