import { PeerApiError } from '../errors.ts';
import type { PeerApi } from '../peer-api.ts';
import {
  type ItemOf,
  type ParametersOf,
  type StreamCall,
  streamCalls,
  type ValueCall,
  type ValueOf,
  valueCalls,
} from '../wire/calls.ts';

type ValueHandlers = {
  readonly [Name in ValueCall]: (
    api: PeerApi,
    parameters: ParametersOf<Name>,
    signal: AbortSignal,
  ) => Promise<Sent<ValueOf<Name>>>;
};
type StreamHandlers = {
  readonly [Name in StreamCall]: (
    api: PeerApi,
    parameters: ParametersOf<Name>,
    signal: AbortSignal,
  ) => AsyncIterable<Sent<ItemOf<Name>>>;
};
/** Value before its encoding: as the port returns it. The encoding of no value is null. */
type Sent<T> = T extends undefined
  ? unknown
  : T extends Uint8Array
    ? Uint8Array
    : T extends object
      ? { readonly [Name in keyof T]: Sent<T[Name]> }
      : T;

const valueHandlers: ValueHandlers = {
  describe: (api, { peer, isLocal = false }, signal) => api.describe(peer, { signal, isLocal }),
  'swarm/peers': (api) => api.swarm.peers(),
  'swarm/addresses': (api) => api.swarm.addresses(),
  'swarm/listenAddresses': (api) => api.swarm.listenAddresses(),
  'swarm/connect': (api, { address }, signal) => api.swarm.connect(address, { signal }),
  'swarm/disconnect': (api, { address }) => api.swarm.disconnect(address),
  'swarm/peering': (api) => api.swarm.peering(),
  'swarm/addPeering': (api, { address }) => api.swarm.addPeering(address),
  'swarm/removePeering': (api, { peer }) => api.swarm.removePeering(peer),
  'swarm/filters': (api) => api.swarm.filters(),
  'swarm/addFilters': (api, { filters }) => api.swarm.addFilters(filters),
  'swarm/removeFilters': (api, { filters }) => api.swarm.removeFilters(filters),
  'bitswap/status': (api) => api.bitswap.status(),
  'bitswap/wantlist': (api, { peer }) => api.bitswap.wantlist(peer),
  'bitswap/ledger': (api, { peer }) => api.bitswap.ledger(peer),
  'routing/get': (api, { key }, signal) => api.routing.get(key, { signal }),
  'routing/put': (api, { key, value }, signal) => api.routing.put(key, value, { signal }),
  'routing/status': (api) => api.routing.status(),
  bootstrapAddresses: (api) => api.bootstrapAddresses(),
  bandwidth: (api, filter) => api.bandwidth(filter),
  'provide/status': (api) => api.provide.status(),
  'provide/added': (api, { roots }) => api.provide.added(roots),
  'provide/removed': (api, { roots }) => api.provide.removed(roots),
};

const streamHandlers: StreamHandlers = {
  'routing/findProviders': (api, { cid, count }, signal) => api.routing.findProviders(cid, { count, signal }),
  'routing/findPeer': (api, { peer }, signal) => api.routing.findPeer(peer, { signal }),
  'routing/findClosest': (api, { peer }, signal) => api.routing.findClosest(peer, { signal }),
  'routing/provide': (api, { cids }, signal) => api.routing.provide(cids, { signal }),
  ping: (api, { peer, count }, signal) => api.ping(peer, { count, signal }),
};

/** Answer to a call, before its encoding. */
export type Answer = { readonly value: Promise<unknown> } | { readonly items: AsyncIterable<unknown> };

/** Starts a call. @throws PEER_REQUEST_INVALID */
export function answerCall(api: PeerApi, name: string, body: string, signal: AbortSignal): Answer {
  if (Object.hasOwn(valueCalls, name)) {
    const call = name as ValueCall;
    return { value: startValue(api, call, parametersOf(call, body, valueCalls[call].parameters), signal) };
  }
  if (Object.hasOwn(streamCalls, name)) {
    const call = name as StreamCall;
    return { items: startStream(api, call, parametersOf(call, body, streamCalls[call].parameters), signal) };
  }
  throw new PeerApiError('PEER_REQUEST_INVALID', `The IPFS peer has no call ${JSON.stringify(name.slice(0, 100))}.`, {
    hint: 'Run the services and the peer from the same version of Cairn.',
  });
}

function startValue<Name extends ValueCall>(
  api: PeerApi,
  name: Name,
  parameters: ParametersOf<Name>,
  signal: AbortSignal,
): Promise<unknown> {
  return valueHandlers[name](api, parameters, signal);
}

function startStream<Name extends StreamCall>(
  api: PeerApi,
  name: Name,
  parameters: ParametersOf<Name>,
  signal: AbortSignal,
): AsyncIterable<unknown> {
  return streamHandlers[name](api, parameters, signal);
}

interface Parser<T> {
  parse(value: unknown): T;
}

function parametersOf<Name extends ValueCall | StreamCall>(
  name: Name,
  body: string,
  schema: Parser<unknown>,
): ParametersOf<Name> {
  try {
    return schema.parse(JSON.parse(body === '' ? '{}' : body)) as ParametersOf<Name>;
  } catch (cause) {
    throw new PeerApiError('PEER_REQUEST_INVALID', `The parameters of ${name} are not valid.`, {
      hint: 'Run the services and the peer from the same version of Cairn.',
      cause,
    });
  }
}
