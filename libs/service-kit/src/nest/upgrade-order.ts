import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Counts responses under way per connection, so that an upgrade is answered in order (RFC 9112, section 9.3.2). */
export class UpgradeOrder {
  readonly #pending = new WeakMap<Duplex, { answers: number; upgrade?: () => void }>();

  /** Counts a response until it is sent or its connection is closed. */
  began({ socket }: IncomingMessage, response: ServerResponse): void {
    const state = this.#pending.get(socket) ?? { answers: 0 };
    this.#pending.set(socket, state);
    state.answers++;
    response.once('close', () => {
      state.answers--;
      if (state.answers === 0) state.upgrade?.();
    });
  }

  /**
   * Runs the upgrade after the responses before it: immediately where there are none, never for a closed connection.
   */
  after(socket: Duplex, upgrade: () => void): void {
    const state = this.#pending.get(socket);
    if (state === undefined || state.answers === 0) upgrade();
    else
      state.upgrade = () => {
        // The connection may serve further requests.
        delete state.upgrade;
        if (!socket.destroyed) upgrade();
      };
  }
}
