export { createDelegatedAnnouncer, type DelegatedAnnouncerOptions } from './delegated-announcer.ts';
export { createDelegatedRouter, type DelegatedRouterOptions } from './delegated-router.ts';
export { createKuboAnnouncer, type KuboAnnouncerOptions } from './kubo-announcer.ts';
export {
  createRoutingServer,
  type RoutingIdentity,
  type RoutingNames,
  type RoutingRequest,
  type RoutingResponse,
  type RoutingServer,
  type RoutingServerOptions,
} from './routing-server.ts';
