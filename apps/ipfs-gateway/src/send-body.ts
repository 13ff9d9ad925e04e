// Hot path of large files: tools/bench/ipfs-gateway.mjs compares it with Kubo.
import type { ServerResponse } from 'node:http';
import type { GatewayResponse } from '@cairn/ipfs-gateway';
import { type SendPermits, stallMs } from './send-permits.ts';

/** Bytes that are copied for a client that is slower than the store, so that their block is not held. */
const copiedBytes = 32 * 1024;

export interface Sending {
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly permits: SendPermits;
  /** Counts bytes before they are sent. @throws LIMIT_REACHED */
  readonly onBytes: (bytes: number) => Promise<void>;
}

/** Sends a body as the client takes it. Memory is bounded by the permits, not by the number of clients. */
export async function sendBody({ body, resume }: GatewayResponse, sending: Sending): Promise<void> {
  if (body === undefined) return;
  await (resume === undefined ? sendStream(body, sending) : sendResumable(body, resume, sending));
}

/** Sends a body that can be read once: each block is read and sent with a permit. */
async function sendStream(body: AsyncIterable<Uint8Array>, sending: Sending): Promise<void> {
  const { response, signal, permits, onBytes } = sending;
  const source = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      await permits.take(signal);
      try {
        const { done, value } = await source.next();
        if (done === true) return;
        signal.throwIfAborted();
        await onBytes(value.length);
        if (!response.write(value)) await drained(response, signal, permits);
      } finally {
        permits.give();
      }
    }
  } finally {
    await source.return?.();
  }
}

/** Sends a body that can be read again: without a permit, the block is dropped while the client does not read. */
async function sendResumable(
  body: AsyncIterable<Uint8Array>,
  resume: (offset: number) => AsyncIterable<Uint8Array>,
  sending: Sending,
): Promise<void> {
  const { response, signal, onBytes } = sending;
  let sent = 0;
  const onSent = async (bytes: number) => {
    await onBytes(bytes);
    sent += bytes;
  };
  let rest: AsyncIterable<Uint8Array> | undefined = body;
  while (rest !== undefined) {
    const isFull = await sendUntilFull(rest, onSent, sending);
    // The rest of the block is read again: the blocks of slow clients would fill the memory.
    rest = isFull ? resume(sent) : undefined;
    if (isFull) await drained(response, signal);
  }
}

/** Returns true where the client reads too slowly, and false at the end of the bytes. */
async function sendUntilFull(
  source: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => Promise<void>,
  { response, signal, permits }: Sending,
): Promise<boolean> {
  for await (const bytes of source) {
    signal.throwIfAborted();
    if (permits.tryTake()) {
      try {
        await onSent(bytes.length);
        if (!response.write(bytes)) await drained(response, signal);
      } finally {
        permits.give();
      }
      continue;
    }
    for (let at = 0; at < bytes.length; at += copiedBytes) {
      // A view would hold the whole block until it is sent.
      const part = Buffer.from(bytes.subarray(at, at + copiedBytes));
      await onSent(part.length);
      if (!response.write(part)) return true;
    }
  }
  return false;
}

/** Resolves when the client has taken the written bytes. @throws the reason of the signal, and when it blocks others */
function drained(response: ServerResponse, signal: AbortSignal, permits?: SendPermits): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearInterval(timer);
      response.off('drain', go);
      signal.removeEventListener('abort', stop);
    };
    const go = () => {
      end();
      resolve();
    };
    const stop = () => {
      end();
      reject(signal.reason);
    };
    const timer =
      permits &&
      setInterval(() => {
        if (permits.hasWaiters) response.destroy();
      }, stallMs);
    timer?.unref();
    response.once('drain', go);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
