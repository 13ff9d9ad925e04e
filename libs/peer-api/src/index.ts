export { openPeerClient, type PeerClientOptions } from './client/open-peer-client.ts';
export { PeerApiError, type PeerApiErrorCode } from './errors.ts';
export { peerApiLimits } from './limits.ts';
export type {
  Bandwidth,
  BitswapStatus,
  Cancellable,
  ConnectedPeer,
  DescribeOptions,
  DhtStatus,
  NodeDescription,
  PeerApi,
  PeerLedger,
  Ping,
  ProvideStatus,
  RoutingEvent,
} from './peer-api.ts';
export { peerAudience } from './wire/calls.ts';
