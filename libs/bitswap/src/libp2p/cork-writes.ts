import type { Socket } from 'node:net';
import type { Transport, Upgrader } from '@libp2p/interface';

/** Unsent bytes at which writes no longer wait for others of the same turn. */
const corkedBytesMax = 256 * 1024;

/**
 * Bytes that a socket accepts before it asks its writer to wait. The default of 16 KiB is less than one encrypted frame: each
 * frame would wait for a turn of the event loop.
 */
const highWaterMark = 512 * 1024;

type Writes = Pick<Socket, 'write' | 'cork' | 'uncork' | 'writableLength'>;

/**
 * Joins the writes of one turn of the event loop into one system call. An encrypted frame takes two writes, its length and its
 * body, and each stream of a peer adds acknowledgements and window updates.
 */
export function corkWrites(socket: Writes): void {
  const write = socket.write.bind(socket) as (chunk: Uint8Array) => boolean;
  let isCorked = false;
  const uncork = () => {
    if (!isCorked) return;
    isCorked = false;
    socket.uncork();
  };
  socket.write = (chunk: Uint8Array | string) => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      setImmediate(uncork);
    }
    const isAccepting = write(chunk as Uint8Array);
    if (socket.writableLength >= corkedBytesMax) uncork();
    return isAccepting;
  };
}

/** Applies `corkWrites` to each socket of a TCP transport of js-libp2p, which passes its options to `node:net`. */
export function corkTransport<Components>(create: (components: Components) => Transport) {
  return (components: Components): Transport => {
    const transport = create(components);
    const dial = transport.dial.bind(transport);
    transport.dial = (address, options) => dial(address, withCorking(options));
    const createListener = transport.createListener.bind(transport);
    transport.createListener = (options) => createListener(withCorking(options));
    return transport;
  };
}

function withCorking<Options extends { readonly upgrader: Upgrader }>(options: Options): Options {
  return { ...options, highWaterMark, upgrader: corkingUpgrader(options.upgrader) };
}

function corkingUpgrader(upgrader: Upgrader): Upgrader {
  return new Proxy(upgrader, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      if (name !== 'upgradeInbound' && name !== 'upgradeOutbound') return member.bind(target);
      return (connection: object, options: unknown) => {
        // Private in the types of js-libp2p. Without it, writes are only slower.
        const { socket } = connection as { readonly socket?: Writes };
        if (typeof socket?.cork === 'function') corkWrites(socket);
        return member.call(target, connection, options);
      };
    },
  });
}
