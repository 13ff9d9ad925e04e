import type { MessageStream, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface';

/** State of a yamux stream that has sent its flags and is not paused. */
const established = 3;

/** Part of the yamux stream of js-libp2p, private in its types. */
export interface WindowedStream {
  readonly state: number;
  /** Size of the window, and the part of it that the other side may still send. */
  readonly recvWindow: number;
  readonly recvWindowCapacity: number;
  sendWindowUpdate(): void;
}

/** Sends a window update once half of the window is used, as the yamux of Go does. js-libp2p sends one for each data frame. */
export function coalesceWindowUpdates<Stream extends Partial<WindowedStream>>(stream: Stream): Stream {
  const send = stream.sendWindowUpdate?.bind(stream);
  if (send === undefined) return stream;
  stream.sendWindowUpdate = () => {
    const { state, recvWindow = 0, recvWindowCapacity = 0 } = stream;
    if (state === established && recvWindowCapacity > recvWindow / 2) return;
    send();
  };
  return stream;
}

/** Applies `coalesceWindowUpdates` to each stream of a yamux of js-libp2p. */
export function coalescingMuxer<Components>(create: (components: Components) => StreamMuxerFactory) {
  return (components: Components): StreamMuxerFactory => {
    const factory = create(components);
    const createStreamMuxer = factory.createStreamMuxer.bind(factory);
    factory.createStreamMuxer = (connection: MessageStream): StreamMuxer => {
      const muxer = createStreamMuxer(connection);
      const hooks = muxer as { _newStream?: (...options: unknown[]) => Partial<WindowedStream> };
      const newStream = hooks._newStream?.bind(muxer);
      if (newStream !== undefined) hooks._newStream = (...options) => coalesceWindowUpdates(newStream(...options));
      return muxer;
    };
    return factory;
  };
}
