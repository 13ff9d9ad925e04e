import type { Bandwidth } from '@cairn/peer-api';
import type { Connection, Metrics, MultiaddrConnection, Stream } from '@libp2p/interface';
import { peerLimits } from '../limits.ts';
import { ByteCounter } from './byte-counter.ts';

/** Traffic in both directions. */
interface Traffic {
  readonly in: ByteCounter;
  readonly out: ByteCounter;
}

const nothing = () => {};
/** Metric of js-libp2p without a reader. */
const ignored = {
  update: nothing,
  increment: nothing,
  decrement: nothing,
  reset: nothing,
  observe: nothing,
  timer: () => nothing,
};
const ignore = () => ignored;

/** Counts the bytes of connections, in all, by peer and by protocol. js-libp2p reports them to its metrics. */
export class BandwidthMeter {
  readonly #all = newTraffic();
  /** The latest used at the end. */
  readonly #peers = new Map<string, Traffic>();
  readonly #protocols = new Map<string, Traffic>();
  /** Traffic of a connection before its peer is known. */
  readonly #opening = new Map<string, { readonly traffic: Traffic; peer?: Traffic }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Metrics that count bytes only. */
  metrics(): Metrics {
    return {
      trackMultiaddrConnection: (connection) => this.#trackConnection(connection),
      trackProtocolStream: (stream) => this.#trackStream(stream),
      registerMetric: ignore,
      registerMetricGroup: ignore,
      registerCounter: ignore,
      registerCounterGroup: ignore,
      registerHistogram: ignore,
      registerHistogramGroup: ignore,
      registerSummary: ignore,
      registerSummaryGroup: ignore,
      traceFunction: (_name: string, traced: unknown) => traced,
      createTrace: nothing,
    } as Metrics;
  }

  /** Assigns the traffic of a connection to its peer. */
  opened({ remoteAddr, remotePeer }: Pick<Connection, 'remoteAddr' | 'remotePeer'>): void {
    const pending = this.#opening.get(keyOf(remoteAddr));
    if (pending === undefined) return;
    const peer = trafficOf(this.#peers, remotePeer.toString());
    const now = this.#now();
    peer.in.add(pending.traffic.in.total, now);
    peer.out.add(pending.traffic.out.total, now);
    pending.peer = peer;
  }

  read({ peer, protocol }: { readonly peer?: string; readonly protocol?: string } = {}): Bandwidth {
    const found =
      peer !== undefined ? this.#peers.get(peer) : protocol !== undefined ? this.#protocols.get(protocol) : this.#all;
    const traffic = found ?? newTraffic();
    const now = this.#now();
    return {
      totalIn: traffic.in.total,
      totalOut: traffic.out.total,
      rateIn: traffic.in.rate(now),
      rateOut: traffic.out.rate(now),
    };
  }

  /** Returns the traffic of each protocol. */
  *protocols(): Generator<readonly [protocol: string, bandwidth: Bandwidth]> {
    for (const protocol of this.#protocols.keys()) yield [protocol, this.read({ protocol })];
  }

  #trackConnection(
    connection: Pick<MultiaddrConnection, 'remoteAddr' | 'send' | 'addEventListener' | 'dispatchEvent'>,
  ): void {
    const key = keyOf(connection.remoteAddr);
    const entry: { readonly traffic: Traffic; peer?: Traffic } = { traffic: newTraffic() };
    this.#opening.set(key, entry);
    connection.addEventListener('close', () => {
      if (this.#opening.get(key) === entry) this.#opening.delete(key);
    });
    count(connection, (direction, bytes) => {
      const now = this.#now();
      this.#all[direction].add(bytes, now);
      (entry.peer ?? entry.traffic)[direction].add(bytes, now);
    });
  }

  #trackStream(stream: Stream): void {
    const traffic = trafficOf(this.#protocols, stream.protocol);
    count(stream, (direction, bytes) => traffic[direction].add(bytes, this.#now()));
  }
}

/**
 * Counts the messages of a connection or stream. Their dispatch is wrapped: a listener of our own would start the flow before
 * the protocol listens, and its first messages would be lost.
 */
function count(
  counted: Pick<MultiaddrConnection, 'send' | 'dispatchEvent'>,
  add: (direction: keyof Traffic, bytes: number) => void,
): void {
  const dispatch = counted.dispatchEvent.bind(counted);
  counted.dispatchEvent = (event) => {
    if (event.type === 'message' && 'data' in event) add('in', lengthOf(event.data));
    return dispatch(event);
  };
  const send = counted.send.bind(counted);
  counted.send = (data) => {
    add('out', data.byteLength);
    return send(data);
  };
}

function lengthOf(data: unknown): number {
  const isBytes = typeof data === 'object' && data !== null && 'byteLength' in data;
  return isBytes && typeof data.byteLength === 'number' ? data.byteLength : 0;
}

/** Returns the traffic of a name. The one that was used least recently is dropped at the limit. */
function trafficOf(known: Map<string, Traffic>, name: string): Traffic {
  const traffic = known.get(name) ?? newTraffic();
  known.delete(name);
  known.set(name, traffic);
  const [oldest] = known.keys();
  if (known.size > peerLimits.countedMax && oldest !== undefined) known.delete(oldest);
  return traffic;
}

function newTraffic(): Traffic {
  return { in: new ByteCounter(), out: new ByteCounter() };
}

/** Address of a connection without the peer ID, which is appended once it is known. */
function keyOf(address: Connection['remoteAddr']): string {
  return address.toString().replace(/\/p2p\/[^/]+$/, '');
}
