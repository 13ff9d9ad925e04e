export { type IdentityPlace, openPeerIdentity, type PeerIdentity, peerIdentitySecret } from './peer-identity.ts';
