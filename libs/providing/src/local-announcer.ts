import type { Announcer } from './content-router.ts';
import { regionOf } from './keyspace.ts';

const everything = regionOf(new Uint8Array(32), 0);

/** Announces to no other node, for a node without a routing system: delegated routing of its home lists the stored records. */
export const localAnnouncer: Announcer = {
  openRegion: async () => ({ region: everything, announce: async (records) => records.map(() => true) }),
};
