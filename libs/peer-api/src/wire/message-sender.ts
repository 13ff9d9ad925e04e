import type { WebSocket } from 'ws';
import { peerApiLimits } from '../limits.ts';
import { encodeJson } from './json.ts';

const { bufferedBytesMax, waitingMessagesMax } = peerApiLimits;

/**
 * Sends the messages of one turn of the event loop as lists. It waits while the other side does not read. The sender bounds
 * the number of messages: there is at most one per want, session or interval.
 */
export class MessageSender<Message> {
  readonly #socket: WebSocket;
  #messages: Message[] = [];
  #isScheduled = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Reports whether the other side reads slowly. */
  get isBlocked(): boolean {
    return this.#socket.bufferedAmount > bufferedBytesMax;
  }

  /** Reports whether many messages wait. */
  get isFull(): boolean {
    return this.#messages.length > waitingMessagesMax;
  }

  send(message: Message): void {
    this.#messages.push(message);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const { OPEN } = this.#socket;
    while (this.#messages.length > 0 && this.#socket.readyState === OPEN && !this.isBlocked) {
      const frame = this.#takeFrame();
      this.#socket.send(frame, () => {
        if (this.#messages.length > 0) this.#schedule();
      });
    }
  }

  #takeFrame(): string {
    const parts: string[] = [];
    let length = 0;
    for (const message of this.#messages) {
      if (length >= bufferedBytesMax) break;
      const part = encodeJson(message);
      parts.push(part);
      length += part.length;
    }
    this.#messages = this.#messages.slice(parts.length);
    return `[${parts.join(',')}]`;
  }
}
