// Hot path of large files: tools/bench/ipfs-gateway.mjs compares it with Kubo.
import type { ServerResponse } from 'node:http';
import type { BufferPool } from '@cairn/blockstore';
import type { GatewayResponse } from '@cairn/ipfs-gateway';
import type { SendMemory } from './send-memory.ts';

/** Bytes that are copied for a client while memory is short, so that the connection holds no block. */
const copiedBytes = 32 * 1024;

/** Bytes of a stream that are sent at a time while memory is short: each tells a slow client from a stalled one. */
const sliceBytes = 256 * 1024;

/** Milliseconds that a blocked response keeps the blocks that are read ahead. */
const sourceMs = 1000;

export interface Sending {
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  /** Memory of bodies that can be read again. */
  readonly files: SendMemory;
  /** Memory of bodies that can be read once, such as CARs. */
  readonly streams: SendMemory;
  /** Counts bytes before they are sent. @throws LIMIT_REACHED */
  readonly onBytes: (bytes: number) => Promise<void>;
}

/** Sends a body as the client takes it. Memory is bounded by the two budgets, and by a copy for each client. */
export async function sendBody({ body, resume, buffers }: GatewayResponse, sending: Sending): Promise<void> {
  if (body === undefined) return;
  if (resume === undefined) await sendStream(body, sending);
  else await new FileSender({ body, resume, buffers }, sending).send();
}

/** Body that can be read again. */
interface File {
  readonly body: AsyncIterable<Uint8Array>;
  readonly resume: (offset: number) => AsyncIterable<Uint8Array>;
  readonly buffers: BufferPool | undefined;
}

/** Sends a body that can be read again: a blocked response drops what it has not written. */
class FileSender {
  readonly #resume: (offset: number) => AsyncIterable<Uint8Array>;
  readonly #buffers: BufferPool | undefined;
  readonly #sending: Sending;
  #source: AsyncIterator<Uint8Array> | undefined;
  /** Rest of the current chunk. A field, since locals of a suspended function stay in memory. */
  #chunk: Uint8Array | undefined;
  #held: Uint8Array | undefined;
  #sent = 0;
  #isDone = false;
  #drained: Promise<void> | undefined;

  constructor({ body, resume, buffers }: File, sending: Sending) {
    this.#resume = resume;
    this.#buffers = buffers;
    this.#sending = sending;
    this.#source = body[Symbol.asyncIterator]();
  }

  async send(): Promise<void> {
    try {
      while (!this.#isDone) {
        await this.#step();
        await this.#drained;
        this.#release();
      }
    } finally {
      this.#release();
      this.#drop();
    }
  }

  /** Writes bytes. The client has not taken all of them yet if `#drained` is set then. */
  async #step(): Promise<void> {
    const { response, signal, files, onBytes } = this.#sending;
    this.#drained = undefined;
    if (this.#chunk === undefined) await this.#read();
    signal.throwIfAborted();
    const chunk = this.#chunk;
    if (chunk === undefined) return;
    let part = compact(chunk);
    // A view would hold the whole block until it is sent.
    if (part === chunk && !files.tryHold(chunk)) part = Buffer.from(chunk.subarray(0, copiedBytes));
    else if (part === chunk) this.#held = chunk;
    this.#chunk = part.length < chunk.length ? chunk.subarray(part.length) : undefined;
    await onBytes(part.length);
    this.#sent += part.length;
    const onWritten = part === chunk ? this.#giveBack(chunk) : undefined;
    if (!response.write(part, onWritten)) this.#drained = drained(this.#sending, () => this.#onBlocked());
  }

  /** Returns a callback that gives the memory of a chunk back. After an error the system may still read it. */
  #giveBack(chunk: Uint8Array): ((error?: Error | null) => void) | undefined {
    const buffers = this.#buffers;
    return buffers?.isLent(chunk)
      ? (error) => {
          if (!error) buffers.giveBack(chunk);
        }
      : undefined;
  }

  async #read(): Promise<void> {
    this.#source ??= this.#resume(this.#sent)[Symbol.asyncIterator]();
    const { done, value } = await this.#source.next();
    this.#isDone = done === true;
    this.#chunk = done === true ? undefined : value;
  }

  /** Keeps what is read ahead for a moment if few responses do, since most clients read on soon. */
  #onBlocked(): () => void {
    const { files } = this.#sending;
    if (!files.tryKeepSource()) {
      this.#drop();
      return () => {};
    }
    const timer = setTimeout(() => this.#drop(), sourceMs).unref();
    return () => {
      clearTimeout(timer);
      files.dropSource();
    };
  }

  #drop(): void {
    this.#chunk = undefined;
    // An error of the end of a read is of no interest: its bytes are not sent.
    this.#source?.return?.().catch(() => {});
    this.#source = undefined;
  }

  #release(): void {
    if (this.#held !== undefined) this.#sending.files.release(this.#held);
    this.#held = undefined;
  }
}

/** Sends a body that can be read once: memory for each chunk is reserved before it is read. */
async function sendStream(body: AsyncIterable<Uint8Array>, sending: Sending): Promise<void> {
  const { response, signal, streams, onBytes } = sending;
  const source = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      await streams.reserve(signal);
      let chunk: Uint8Array | undefined;
      try {
        const { done, value } = await source.next();
        if (done !== true) chunk = value;
      } finally {
        streams.fill(chunk);
      }
      if (chunk === undefined) return;
      try {
        const sliceMax = streams.isScarce ? sliceBytes : chunk.length;
        for (let at = 0; at < chunk.length; at += sliceMax) {
          signal.throwIfAborted();
          const slice = compact(chunk.subarray(at, at + sliceMax));
          await onBytes(slice.length);
          if (!response.write(slice)) await drained(sending, () => streams.block(response));
        }
      } finally {
        streams.release(chunk);
      }
    }
  } finally {
    await source.return?.();
  }
}

/** Copies a few bytes of a large buffer: `write` does not report when such bytes are sent. */
function compact(bytes: Uint8Array): Uint8Array {
  return bytes.length < copiedBytes && bytes.buffer.byteLength > 2 * copiedBytes ? Buffer.from(bytes) : bytes;
}

/**
 * Resolves when the client has taken the written bytes. Bytes that the kernel takes are gone before the next turn of the event
 * loop; otherwise `onBlocked` is called, and what it returns at the end. @throws the reason of the signal
 */
function drained({ response, signal }: Sending, onBlocked: () => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let onEnd = () => {};
    const turn = setImmediate(() => {
      onEnd = onBlocked();
    });
    const end = () => {
      clearImmediate(turn);
      onEnd();
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
    response.once('drain', go);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
