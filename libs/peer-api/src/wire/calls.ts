import * as z from 'zod';
import { peerApiLimits } from '../limits.ts';
import * as schema from './schemas.ts';

const { text, cid, cids, bytes, provider } = schema;
const peerReply = z.object({ peer: text });
const texts = z.array(text).max(peerApiLimits.cidsMax);
const nothing = z.null().transform(() => undefined);

/** Calls that answer with one value: path, parameters and value. */
export const valueCalls = {
  describe: {
    parameters: z.strictObject({ peer: text.optional(), isLocal: z.boolean().optional() }),
    value: schema.description,
  },
  'swarm/peers': { parameters: z.strictObject({}), value: z.array(schema.connectedPeer) },
  'swarm/addresses': { parameters: z.strictObject({}), value: schema.addressMap },
  'swarm/listenAddresses': { parameters: z.strictObject({}), value: z.array(text) },
  'swarm/connect': { parameters: z.strictObject({ address: text }), value: peerReply },
  'swarm/disconnect': { parameters: z.strictObject({ address: text }), value: peerReply },
  'swarm/peering': { parameters: z.strictObject({}), value: z.array(provider) },
  'swarm/addPeering': { parameters: z.strictObject({ address: text }), value: peerReply },
  'swarm/removePeering': { parameters: z.strictObject({ peer: text }), value: nothing },
  'swarm/filters': { parameters: z.strictObject({}), value: z.array(text) },
  'swarm/addFilters': { parameters: z.strictObject({ filters: texts }), value: nothing },
  'swarm/removeFilters': { parameters: z.strictObject({ filters: texts }), value: z.array(text) },
  'bitswap/status': { parameters: z.strictObject({}), value: schema.bitswapStatus },
  'bitswap/wantlist': { parameters: z.strictObject({ peer: text.optional() }), value: z.array(cid) },
  'bitswap/ledger': { parameters: z.strictObject({ peer: text }), value: schema.ledger },
  'routing/get': { parameters: z.strictObject({ key: bytes }), value: bytes },
  'routing/put': { parameters: z.strictObject({ key: bytes, value: bytes }), value: nothing },
  'routing/status': { parameters: z.strictObject({}), value: schema.dhtStatus },
  bootstrapAddresses: { parameters: z.strictObject({}), value: z.array(text) },
  bandwidth: {
    parameters: z.strictObject({ peer: text.optional(), protocol: text.optional() }),
    value: schema.bandwidth,
  },
  'provide/status': { parameters: z.strictObject({}), value: schema.provideStatus },
  'provide/added': { parameters: z.strictObject({ roots: cids }), value: nothing },
  'provide/removed': { parameters: z.strictObject({ roots: cids }), value: nothing },
} as const;

/** Largest number that a caller may request: of providers, of pings. */
const amount = z.number().int().min(1).max(peerApiLimits.cidsMax);

/** Calls that answer with a stream of items. */
export const streamCalls = {
  'routing/findProviders': {
    parameters: z.strictObject({ cid, count: amount.optional() }),
    item: schema.routingEvent,
  },
  'routing/findPeer': { parameters: z.strictObject({ peer: text }), item: schema.routingEvent },
  'routing/findClosest': { parameters: z.strictObject({ peer: text }), item: schema.routingEvent },
  'routing/provide': { parameters: z.strictObject({ cids }), item: schema.routingEvent },
  ping: { parameters: z.strictObject({ peer: text, count: amount.optional() }), item: schema.ping },
} as const;

export type ValueCall = keyof typeof valueCalls;
export type StreamCall = keyof typeof streamCalls;
export type ParametersOf<Name extends ValueCall | StreamCall> = Name extends ValueCall
  ? z.output<(typeof valueCalls)[Name]['parameters']>
  : Name extends StreamCall
    ? z.output<(typeof streamCalls)[Name]['parameters']>
    : never;
export type ValueOf<Name extends ValueCall> = z.output<(typeof valueCalls)[Name]['value']>;
export type ItemOf<Name extends StreamCall> = z.output<(typeof streamCalls)[Name]['item']>;

/** Paths of the protocol. A change that older services do not understand gets another number. */
export const callPath = '/peer/v1/';
export const fetchPath = '/peer/v1/fetch';

/** Name of the peer process in service tokens. */
export const peerAudience = 'ipfs-peer';

/** Answer to a call, and each line of a stream. The last line of a stream is `end` or `error`. */
export const reply = z.union([
  z.strictObject({ value: z.unknown() }),
  z.strictObject({ end: z.literal(true) }),
  z.strictObject({ error: schema.wireError }),
]);
