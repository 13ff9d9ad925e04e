// Hot path of all small requests: the rows eth_chainId and cat 4 KiB of tools/bench/peers.mjs. http-fast-path.spec.ts
// compares it with Node's own sockets and parser.
import { Socket } from 'node:net';

/** All sockets of a process read into this memory, which is as long as one read of Node. Each read is copied before the next one. */
const memory = Buffer.allocUnsafeSlow(64 * 1024);

/** A socket whose bytes go to a function, until they go to its stream. */
export interface SharedReads {
  readonly socket: Socket;
  /** Sends further bytes to the stream, as those of any other socket. */
  release(): void;
}

/** Fields of sockets and servers that Node does not document. */
interface Internals {
  _handle?: { readonly useUserBuffer?: unknown } | null;
  _server?: unknown;
  server?: unknown;
}

/**
 * Replaces an accepted socket with one that reads into shared memory, and passes copies of the bytes to a function. Otherwise each read
 * allocates 64 KiB, and takes events of a stream and work of the garbage collector: docs/decisions/raw-http-path.md has the figures.
 * Node has this (`onread`) only for sockets that a program connects itself, so this function moves the handle of the accepted socket.
 * @returns `undefined` where Node does not allow that, and for a socket with readers; it is then unchanged
 */
export function shareReads(accepted: Socket, onBytes: (bytes: Buffer) => void): SharedReads | undefined {
  const internals = accepted as Socket & Internals;
  const { _handle: handle, _server: server } = internals;
  // A socket that has received bytes has readers, for example one whose offer to change the protocol was ignored.
  if (accepted.constructor !== Socket || accepted.bytesRead > 0) return undefined;
  if (typeof handle?.useUserBuffer !== 'function') return undefined;
  let isReleased = false;
  const callback = (count: number): boolean => {
    const bytes = Buffer.from(memory.subarray(0, count));
    if (isReleased) return socket.push(bytes);
    onBytes(bytes);
    return true;
  };
  // The server counts the new socket instead of the accepted one.
  internals._handle = null;
  internals._server = null;
  const options = { handle, allowHalfOpen: accepted.allowHalfOpen, onread: { buffer: memory, callback } };
  const socket = new Socket(options as ConstructorParameters<typeof Socket>[0]) as Socket & Internals;
  socket._server = server;
  socket.server = server;
  return {
    socket,
    release() {
      isReleased = true;
    },
  };
}
