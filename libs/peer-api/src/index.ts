export type {
  Bandwidth,
  BitswapStatus,
  Cancellable,
  ConnectedPeer,
  DhtStatus,
  NodeDescription,
  PeerApi,
  PeerLedger,
  Ping,
  ProvideStatus,
  RoutingEvent,
} from './peer-api.ts';
