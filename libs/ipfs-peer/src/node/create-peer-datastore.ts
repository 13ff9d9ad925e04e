import { peerLimits } from '../limits.ts';
import { BoundedDatastore } from './bounded-datastore.ts';

/** Creates the datastore of known peers, in memory and bounded. */
export function createPeerDatastore(): BoundedDatastore {
  return new BoundedDatastore({ entriesMax: peerLimits.knownPeersMax, valueBytesMax: peerLimits.knownPeerBytesMax });
}
