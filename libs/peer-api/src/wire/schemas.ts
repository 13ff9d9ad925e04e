import { type CID, parseCid } from '@cairn/cid';
import * as z from 'zod';
import { peerApiLimits } from '../limits.ts';

/** Longest text of the wire: multiaddresses, peer IDs, names of agents and protocols. */
const textLengthMax = 2048;

export const text = z.string().max(textLengthMax);
const count = z.number().nonnegative();

export const cid = z.string().transform((value, context): CID => {
  try {
    return parseCid(value);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'not a CID' });
    return z.NEVER;
  }
});
export const cids = z.array(cid).max(peerApiLimits.cidsMax);

export const bytes = z.base64().transform((value) => new Uint8Array(Buffer.from(value, 'base64')));

export const provider = z.object({
  peer: text.optional(),
  addresses: z.array(text).max(peerApiLimits.addressesMax).readonly().optional(),
});
export const providers = z.array(provider).max(peerApiLimits.providersMax).readonly();

export const wireError = z.object({ code: text, message: z.string(), hint: z.string().optional() });

export const description = z.object({
  id: text,
  publicKey: z.string(),
  addresses: z.array(text),
  agentVersion: text,
  protocolVersion: text,
  protocols: z.array(text),
});

export const connectedPeer = z.object({
  peer: text,
  address: text,
  direction: z.enum(['inbound', 'outbound']),
  agentVersion: text.optional(),
  latencyMs: z.number().optional(),
  streams: z.array(text),
});

export const bitswapStatus = z.object({
  wantlist: z.array(cid),
  peers: z.array(text),
  blocksReceived: count,
  bytesReceived: count,
  duplicateBlocks: count,
  duplicateBytes: count,
  blocksSent: count,
  bytesSent: count,
  messagesReceived: count,
});

export const ledger = z.object({ peer: text, sentBytes: count, receivedBytes: count, exchangedBlocks: count });

export const routingEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('query'), peer: text }),
  z.object({ type: z.literal('response'), peer: text, closer: z.array(provider) }),
  z.object({ type: z.literal('provider'), provider }),
  z.object({ type: z.literal('peer'), provider }),
  z.object({ type: z.literal('value'), value: bytes }),
  z.object({ type: z.literal('error'), peer: text.optional(), message: z.string() }),
]);

export const bandwidth = z.object({ totalIn: count, totalOut: count, rateIn: count, rateOut: count });

export const dhtStatus = z.object({
  mode: z.enum(['client', 'server', 'none']),
  buckets: z.array(z.object({ prefixBits: z.number(), peers: z.array(text) })),
});

export const ping = z.object({ isSuccess: z.boolean(), latencyMs: z.number(), text: z.string() });

export const provideStatus = z.object({
  records: count,
  waiting: count,
  announced: count,
  failed: count,
  oldestSeconds: z.number().optional(),
  isOnline: z.boolean().optional(),
});

export const exchangePeer = z.object({
  peer: text,
  bytesReceived: count,
  bytesSent: count,
  blocksReceived: count,
  blocksSent: count,
});

/** Encoded as the entries of a map. */
export const addressMap = z
  .array(z.tuple([text, z.array(text)]))
  .transform((entries): ReadonlyMap<string, readonly string[]> => new Map(entries));
