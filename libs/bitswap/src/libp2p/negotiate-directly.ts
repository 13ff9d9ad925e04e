// Hot path of a fetch from Kubo, which opens a stream for each block. Bench: tools/bench/ipfs-peer/services.mjs.
import type { MessageStream, StreamMuxerFactory } from '@libp2p/interface';
import type { Uint8ArrayList } from 'uint8arraylist';
import { bitswapProtocol } from './libp2p-transport.ts';

/**
 * First bytes of a stream whose opener names its only protocol without a wait for an answer (multistream-select 1.0): two lines
 * with their lengths. The answer that accepts the protocol has the same bytes.
 */
const negotiation = Buffer.from(
  ['/multistream/1.0.0\n', `${bitswapProtocol}\n`].map((line) => `${String.fromCharCode(line.length)}${line}`).join(''),
);

/** Time in milliseconds after which js-libp2p negotiates a stream without data. Its time limit begins then. */
const silentMs = 1000;

type Data = Uint8Array | Uint8ArrayList;

/** Part of a stream of js-libp2p, private in its types. */
export interface NegotiatedStream {
  protocol: string;
  readonly readBufferLength: number;
  readonly writeStatus: string;
  onData(data: Data): void;
  send(data: Uint8Array): boolean;
}

/** Part of a muxer of js-libp2p, private in its types. */
export interface DispatchingMuxer {
  safeDispatchEvent(type: string, event?: { readonly detail?: unknown }): boolean;
}

/**
 * Accepts streams whose first bytes name bitswap, and passes others to the negotiation of js-libp2p, which reads byte by byte and
 * takes a tenth of the CPU time of a fetch.
 * @param isHandled reports whether this node serves bitswap
 */
export function negotiateDirectly(muxer: Partial<DispatchingMuxer>, isHandled: () => boolean): void {
  const dispatch = muxer.safeDispatchEvent?.bind(muxer);
  if (dispatch === undefined) return;
  muxer.safeDispatchEvent = (type, event) => {
    const stream = event?.detail as Partial<NegotiatedStream> | undefined;
    if (type !== 'stream' || !isFresh(stream)) return dispatch(type, event);
    awaitData(stream, { isHandled, pass: () => dispatch(type, event) });
    return true;
  };
}

/** Protocols that this node serves. */
interface Registrar {
  getProtocols(): readonly string[];
}

/** Applies `negotiateDirectly` to each connection of a muxer of js-libp2p. */
export function directMuxer<Components extends { readonly registrar: Registrar }>(
  create: (components: Components) => StreamMuxerFactory,
): (components: Components) => StreamMuxerFactory {
  return (components) => {
    const factory = create(components);
    const isHandled = () => components.registrar.getProtocols().includes(bitswapProtocol);
    const createStreamMuxer = factory.createStreamMuxer.bind(factory);
    factory.createStreamMuxer = (connection: MessageStream) => {
      const muxer = createStreamMuxer(connection);
      negotiateDirectly(muxer as Partial<DispatchingMuxer>, isHandled);
      return muxer;
    };
    return factory;
  };
}

/** Reports whether the protocol of a stream is open, and no data of it has arrived. */
function isFresh(stream: Partial<NegotiatedStream> | undefined): stream is NegotiatedStream {
  return stream?.protocol === '' && stream.readBufferLength === 0 && stream.onData !== undefined;
}

interface Waiting {
  readonly isHandled: () => boolean;
  /** Passes the stream to js-libp2p. */
  readonly pass: () => void;
}

function awaitData(stream: NegotiatedStream, { isHandled, pass }: Waiting): void {
  const onData = stream.onData.bind(stream);
  const timer = setTimeout(() => {
    stream.onData = onData;
    pass();
  }, silentMs);
  timer.unref();
  stream.onData = (data) => {
    clearTimeout(timer);
    stream.onData = onData;
    const rest = isHandled() ? accept(stream, data) : data;
    pass();
    onData(rest);
  };
}

/** Accepts bitswap if the data begin with its negotiation. Returns the data that are left for the next reader. */
function accept(stream: NegotiatedStream, data: Data): Data {
  const { length } = negotiation;
  if (data.byteLength < length || !negotiation.equals(data.subarray(0, length))) return data;
  // A stream that was reset with its first data.
  if (stream.writeStatus !== 'writable') return data;
  stream.protocol = bitswapProtocol;
  stream.send(negotiation);
  return data instanceof Uint8Array ? data.subarray(length) : data.sublist(length);
}
