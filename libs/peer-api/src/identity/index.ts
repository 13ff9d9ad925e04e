export { openPeerIdentity, type PeerIdentity } from './peer-identity.ts';
