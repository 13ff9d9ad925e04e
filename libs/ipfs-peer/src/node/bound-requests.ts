import { ByteRate } from '@cairn/bitswap';
import type { Connection, StreamHandler } from '@libp2p/interface';
import type { KadDHT, KadDHTComponents } from '@libp2p/kad-dht';
import { peerLimits } from '../limits.ts';

/** Part of a stream that the bounds use. */
interface RequestStream {
  readonly readStatus: string;
  dispatchEvent(event: Event): boolean;
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

export interface RequestLimits {
  readonly requestBytesMax: number;
  readonly requestBytesPerSecondMax: number;
  readonly requestBytesOfConnectionPerSecondMax: number;
}

/**
 * Bounds the inbound requests of handlers whose protocol has a varint length before each message. js-libp2p keeps up to 4 MiB
 * of each stream, which for the streams of all connections is more than the memory of a machine. A longer request ends its
 * stream. Requests beyond the rate of their connection, or of all connections, wait unread.
 */
export function boundRequests(limits: RequestLimits = peerLimits): (handler: StreamHandler) => StreamHandler {
  const all = new ByteRate(limits.requestBytesPerSecondMax);
  const rates = new WeakMap<Connection, ByteRate>();
  return (handler) => (stream, connection) => {
    const own = rates.get(connection) ?? new ByteRate(limits.requestBytesOfConnectionPerSecondMax);
    rates.set(connection, own);
    bound(stream, [own, all], limits.requestBytesMax);
    return handler(stream, connection);
  };
}

/**
 * Creates a DHT whose handlers are wrapped. The middleware of js-libp2p 3.3 is no way to do it: each stream adds its handler to
 * the list of the protocol, so that the n-th stream runs n handlers.
 */
export function withHandlers(
  create: (components: KadDHTComponents) => KadDHT,
  wrap: (handler: StreamHandler) => StreamHandler,
): (components: KadDHTComponents) => KadDHT {
  return (components) => {
    const { registrar } = components;
    const wrapped: typeof registrar = Object.create(registrar, {
      handle: {
        value: (...[protocol, handler, options]: Parameters<typeof registrar.handle>) =>
          registrar.handle(protocol, wrap(handler), options),
      },
    });
    // The components are resolved by a proxy of js-libp2p and cannot be copied.
    return create(
      new Proxy(components, { get: (target, name) => (name === 'registrar' ? wrapped : Reflect.get(target, name)) }),
    );
  };
}

/** The dispatch is wrapped: a listener of our own would start the flow before the protocol listens. */
function bound(stream: RequestStream, rates: readonly ByteRate[], bytesMax: number): void {
  const lengths = new MessageLengths();
  const dispatch = stream.dispatchEvent.bind(stream);
  const pauseUntilDue = () => {
    const waitMs = Math.max(...rates.map((rate) => rate.waitMs));
    if (waitMs > 0) {
      if (stream.readStatus === 'readable') stream.pause();
      setTimeout(pauseUntilDue, waitMs).unref();
    } else if (stream.readStatus === 'paused') stream.resume();
  };
  stream.dispatchEvent = (event) => {
    if (event.type !== 'message' || !('data' in event)) return dispatch(event);
    const data = event.data as MessageBytes;
    const longest = lengths.read(data);
    if (longest > bytesMax) {
      // The dispatch ends first: js-libp2p consumes its buffer afterwards.
      queueMicrotask(() => stream.abort(new Error(`a request has ${longest} bytes, and the limit is ${bytesMax}`)));
      return true;
    }
    for (const rate of rates) rate.take(data.byteLength);
    const isDispatched = dispatch(event);
    pauseUntilDue();
    return isDispatched;
  };
}

/** Bytes of a message event: one array or a list of arrays. */
export type MessageBytes = Uint8Array | { readonly byteLength: number; get(index: number): number };

/** Follows the lengths of the messages in a stream of bytes without keeping the bytes. */
export class MessageLengths {
  /** Bytes of the current message that are still to come. */
  #rest = 0;
  /** Length whose varint is incomplete, and the weight of its next 7 bits. */
  #length = 0;
  #weight = 1;

  /** Returns the longest length that the bytes complete. */
  read(data: MessageBytes): number {
    const byteAt = 'get' in data ? (at: number) => data.get(at) : (at: number) => data[at] as number;
    let longest = 0;
    for (let at = 0; at < data.byteLength; ) {
      if (this.#rest > 0) {
        const skipped = Math.min(this.#rest, data.byteLength - at);
        this.#rest -= skipped;
        at += skipped;
        continue;
      }
      const byte = byteAt(at++);
      this.#length += (byte & 0x7f) * this.#weight;
      this.#weight *= 128;
      longest = Math.max(longest, this.#length);
      if (byte >= 0x80) continue;
      this.#rest = this.#length;
      this.#length = 0;
      this.#weight = 1;
    }
    return longest;
  }
}
