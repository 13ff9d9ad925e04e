import * as z from 'zod';
import { peerApiLimits } from '../limits.ts';
import { cid, cids, exchangePeer, providers, wireError } from './schemas.ts';

const number = z.number().int().nonnegative();

/** Message of a service. Session 0 is the common one. */
const request = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('open'), session: number, providers }),
  z.strictObject({ type: z.literal('providers'), session: number, providers }),
  z.strictObject({ type: z.literal('close'), session: number }),
  z.strictObject({
    type: z.literal('want'),
    id: number,
    session: number,
    cid,
    providers: providers.optional(),
    /** The service needs the block in the store, not its bytes. */
    isStored: z.literal(true).optional(),
  }),
  z.strictObject({ type: z.literal('cancel'), id: number }),
  z.strictObject({ type: z.literal('announce'), cids }),
]);

/** Message of the peer. Blocks are binary messages. */
const report = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('failed'), id: number, error: wireError }),
  /** The peer has stored the block durably. */
  z.strictObject({ type: z.literal('stored'), id: number, bytes: number }),
  z.strictObject({ type: z.literal('peers'), peers: z.array(exchangePeer).max(peerApiLimits.reportedPeersMax) }),
]);

export type FetchRequest = z.output<typeof request>;
export type FetchReport = z.output<typeof report>;

/** Messages travel in lists, one list for each frame. */
export const fetchRequests = z.array(request);
export const fetchReports = z.array(report);
