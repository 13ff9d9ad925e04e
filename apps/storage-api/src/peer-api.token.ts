export { PEER_API } from '@cairn/peer-api/nest';
