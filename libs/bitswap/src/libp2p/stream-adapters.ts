import type { Stream } from '@libp2p/interface';
import { Uint8ArrayList } from 'uint8arraylist';
import type { IncomingStream, OutgoingStream } from '../transport.ts';

/** Unread bytes of one stream at which the sender is paused. */
const unreadBytesMax = 256 * 1024;

/** Bytes that one stream may buffer while it is paused: the window of {@link muxerOptions} and a margin. */
const pausedBytesMax = 4 * 1024 * 1024;

/** Size of one write: a write of a whole message would copy it in the muxer before any byte leaves. */
const writeBytesMax = 256 * 1024;

export function outgoingFromStream(stream: Stream): OutgoingStream {
  return {
    async send(parts, { signal }) {
      let batch = new Uint8ArrayList();
      const flush = async () => {
        if (batch.length > 0 && !stream.send(batch)) await stream.onDrain({ signal });
        batch = new Uint8ArrayList();
      };
      for (const part of parts) {
        for (let at = 0; at < part.length; at += writeBytesMax) {
          batch.append(part.subarray(at, at + writeBytesMax));
          if (batch.length >= writeBytesMax) await flush();
        }
      }
      await flush();
    },
    abort: (reason) => stream.abort(reason),
  };
}

/** Reads a stream with back-pressure. The iterator of js-libp2p has none: it queues all events. */
export function incomingFromStream(stream: Stream): IncomingStream {
  const queue: Uint8Array[] = [];
  let unread = 0;
  // The other side may have closed a stream before its protocol was known.
  let isEnded = stream.remoteWriteStatus === 'closed';
  let failure: unknown;
  let wake = () => {};
  stream.maxReadBufferLength = pausedBytesMax;
  stream.addEventListener('message', ({ data }) => {
    for (const chunk of data instanceof Uint8Array ? [data] : data) queue.push(chunk);
    unread += data.byteLength;
    if (unread >= unreadBytesMax && stream.readStatus === 'readable') stream.pause();
    wake();
  });
  const onEnd = (error?: unknown) => {
    isEnded = true;
    failure ??= error;
    wake();
  };
  stream.addEventListener('close', (event) => onEnd(event.error));
  stream.addEventListener('remoteCloseWrite', () => onEnd());

  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = queue.shift();
      if (chunk !== undefined) {
        unread -= chunk.length;
        if (unread === 0 && stream.readStatus === 'paused') stream.resume();
        yield chunk;
      } else if (failure !== undefined) throw failure;
      else if (isEnded && stream.readBufferLength === 0) {
        // Kubo opens a stream for each response. Without the close of this side it would stay in the muxer.
        stream.close().catch(() => {});
        return;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return { [Symbol.asyncIterator]: read, abort: (reason) => stream.abort(reason) };
}
