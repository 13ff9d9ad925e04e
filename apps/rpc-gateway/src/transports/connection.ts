import type { Principal } from '@cairn/auth';
import type { WebSocket } from 'ws';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';
import type { AdmittedClient } from './web-socket-adapter.ts';

/** One open WebSocket connection. */
export interface Connection extends AdmittedClient {
  readonly socket: WebSocket;
  /** State at the last message, because the limits of a key can change. */
  principal: Principal;
  readonly abort: AbortController;
  readonly subscriptions: Subscriptions;
  /** Messages that are being answered. */
  inFlight: number;
  /** False if the last ping got no pong yet. */
  isAlive: boolean;
}
