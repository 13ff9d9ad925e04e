import { blockKey } from '../block-key.ts';
import type { BitswapLimits } from '../limits.ts';
import { MessageSender } from '../message-sender.ts';
import type { BitswapTransport, PeerName, Target } from '../transport.ts';
import { encodeFrame } from '../wire/encode-message.ts';
import type { WantEntry } from '../wire/message.ts';

/** Entries of one outgoing wantlist message: about 64 KiB. */
const entriesPerMessage = 1024;

/** Share of the window that is in use when a full window is filled again. */
const refillShare = 0.75;

/** Settings of a remote peer. */
export interface RemotePeerOptions<Want> {
  readonly transport: BitswapTransport;
  readonly limits: BitswapLimits;
  readonly onFailure: (peer: RemotePeer<Want>, error: unknown) => void;
}

/** Relation of the client to one peer: window, requests and entries to send. */
export class RemotePeer<Want> {
  readonly name: PeerName;
  target: Target;
  isConnected = false;
  /** Excluded: sessions remove such a peer when they next choose one. */
  isDropped = false;
  /** Delivered or announced a block: new wants go to such a peer first. */
  isProductive = false;
  window: number;
  inFlight = 0;
  deliveredAt = 0;
  /** No requests before this time, after a failed stream. */
  restUntil = 0;
  failures = 0;
  /** Wants with a request to this peer, or with an answer of it. */
  readonly wants = new Set<Want>();
  /** Wants that this peer may serve once its window has room. */
  readonly backlog = new Set<Want>();
  /** Codes of hash functions of requested blocks: a block with another one is wrong without hashing it. */
  readonly hashCodes = new Set<number>();
  readonly #asked = new Set<string>();
  readonly #outbox = new Map<string, WantEntry>();
  readonly #sender: MessageSender;
  readonly #limits: BitswapLimits;
  readonly #onFailure: (peer: RemotePeer<Want>, error: unknown) => void;
  #isSending = false;
  #isRefilling = true;
  #greeting: { readonly isFull: boolean } | undefined;

  constructor(target: Target, options: RemotePeerOptions<Want>) {
    this.name = target.peer;
    this.target = target;
    this.window = options.limits.inFlightMin;
    this.#limits = options.limits;
    this.#onFailure = options.onFailure;
    this.#sender = new MessageSender(options.transport, options.limits);
  }

  /**
   * Reports whether further blocks may be requested. A full window has room again when a quarter of it is free, so that one
   * message requests many blocks.
   */
  get hasRoom(): boolean {
    if (this.inFlight >= this.window) this.#isRefilling = false;
    else if (this.inFlight <= this.window * refillShare) this.#isRefilling = true;
    return this.#isRefilling;
  }

  /** Reports whether the peer was asked for the block, so that a late copy is no fault. */
  wasAsked(key: string): boolean {
    return this.#asked.has(key);
  }

  /** Queues an entry. Entries of one turn of the event loop share a message; the newest entry of a block counts. */
  queue(entry: WantEntry): void {
    const key = blockKey(entry.cid);
    if (!entry.isCancel) this.#remember(key, entry);
    this.#outbox.delete(key);
    this.#outbox.set(key, entry);
    this.#startSending();
  }

  /**
   * Sends a message without entries. Kubo asks a peer that it took for dead again after the next message. A full message also
   * ends wants of an earlier engine of this node.
   */
  greet({ isFull }: { readonly isFull: boolean }): void {
    this.#greeting = { isFull: isFull || this.#greeting?.isFull === true };
    this.#startSending();
  }

  /** Forgets unsent entries and ends the stream. */
  reset(reason: string): void {
    this.#outbox.clear();
    this.#greeting = undefined;
    this.#sender.abort(reason);
  }

  #startSending(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(() => void this.#send());
  }

  #remember(key: string, { cid }: WantEntry): void {
    this.hashCodes.add(cid.multihash.code);
    this.#asked.delete(key);
    this.#asked.add(key);
    if (this.#asked.size <= this.#limits.askedMax) return;
    for (const oldest of this.#asked) {
      this.#asked.delete(oldest);
      return;
    }
  }

  async #send(): Promise<void> {
    try {
      while (this.#outbox.size > 0 || this.#greeting !== undefined) {
        const wants: WantEntry[] = [];
        for (const [key, entry] of this.#outbox) {
          if (wants.length >= entriesPerMessage) break;
          wants.push(entry);
          this.#outbox.delete(key);
        }
        const isFull = this.#greeting?.isFull === true;
        this.#greeting = undefined;
        const frame = encodeFrame({ isFull, wants, payloads: [], presences: [], pendingBytes: 0 });
        await this.#sender.send(this.target, frame);
        this.failures = 0;
      }
    } catch (error) {
      this.#outbox.clear();
      this.#greeting = undefined;
      this.failures++;
      this.#onFailure(this, error);
    } finally {
      this.#isSending = false;
      if (this.#outbox.size > 0) this.#startSending();
    }
  }
}
