import type { BufferPool } from '@cairn/blockstore/core';
import { isCairnError } from '@cairn/errors';
import { ByteRate } from './byte-rate.ts';
import type { BitswapLimits } from './limits.ts';
import type { IncomingStream, PeerName } from './transport.ts';
import { readFrames } from './wire/read-frames.ts';

interface ReceiverOptions {
  readonly limits: BitswapLimits;
  /** Lends the memory of long messages. */
  readonly buffers: BufferPool | undefined;
  /** Handles a message. The next one of the stream is read afterwards. */
  readonly onMessage: (peer: PeerName, bytes: Uint8Array, connected: Connected) => Promise<void>;
  readonly onInvalid: (peer: PeerName, error: unknown) => void;
  /** Called when this side ended a stream of a peer that may stay connected. */
  readonly onEnded: (peer: PeerName) => void;
  readonly onError: (error: unknown) => void;
}

/** Reports whether a peer stayed connected since its message was read. */
export interface Connected {
  readonly isClosed: boolean;
}

interface Sender {
  readonly streams: Set<IncomingStream>;
  buffered: number;
  connected: { isClosed: boolean };
}

/** Reads messages from incoming streams within bounds on streams and bytes. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #senders = new Map<PeerName, Sender>();
  readonly #rate: ByteRate;
  #buffered = 0;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#rate = new ByteRate(options.limits.receiveBytesPerSecondMax);
  }

  /** Bytes of incomplete and unhandled messages. */
  get buffered(): number {
    return this.#buffered;
  }

  accept(peer: PeerName, stream: IncomingStream): void {
    const sender = this.#senders.get(peer) ?? { streams: new Set(), buffered: 0, connected: { isClosed: false } };
    if (sender.streams.size >= this.#options.limits.streamsPerPeerMax) {
      stream.abort(new Error('too many streams'));
      this.#options.onEnded(peer);
      return;
    }
    this.#senders.set(peer, sender);
    sender.streams.add(stream);
    void this.#read(peer, sender, stream);
  }

  /** Marks the messages of a peer that are being handled: it is disconnected. */
  disconnected(peer: PeerName): void {
    const sender = this.#senders.get(peer);
    if (sender === undefined) return;
    sender.connected.isClosed = true;
    sender.connected = { isClosed: false };
  }

  /** Ends all streams of a peer. */
  drop(peer: PeerName): void {
    this.disconnected(peer);
    for (const stream of this.#senders.get(peer)?.streams ?? []) stream.abort(new Error('the peer is excluded'));
  }

  close(): void {
    for (const { streams } of this.#senders.values())
      for (const stream of streams) stream.abort(new Error('the engine is closed'));
  }

  async #read(peer: PeerName, sender: Sender, stream: IncomingStream): Promise<void> {
    const { limits, buffers, onMessage, onInvalid, onError } = this.#options;
    const onBuffered = (bytes: number) => {
      sender.buffered += bytes;
      this.#buffered += bytes;
      if (bytes <= 0) return;
      if (sender.buffered > limits.receivingBytesPerPeerMax || this.#buffered > limits.receivingBytesMax)
        throw new Error('too many bytes of incomplete messages');
    };
    try {
      for await (const frame of readFrames(stream, limits.messageBytesMax, onBuffered, buffers)) {
        await onMessage(peer, frame, sender.connected);
        this.#rate.take(frame.length);
        // Unread bytes pause the sender.
        await this.#rate.settled();
      }
    } catch (error) {
      stream.abort(error instanceof Error ? error : new Error(String(error)));
      if (isCairnError(error, 'BITSWAP_MESSAGE_INVALID')) onInvalid(peer, error);
      else {
        onError(error);
        this.#options.onEnded(peer);
      }
    } finally {
      sender.streams.delete(stream);
      if (sender.streams.size === 0 && this.#senders.get(peer) === sender) this.#senders.delete(peer);
    }
  }
}
