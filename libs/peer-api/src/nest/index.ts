export { PEER_API, PeerApiModule, type PeerApiModuleOptions } from './peer-api.module.ts';
export { PeerApiServer, type PeerApiServerOptions } from './peer-api-server.ts';
