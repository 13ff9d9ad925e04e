import { rpcErrors } from '@cairn/jsonrpc-core';
import { WebSocket } from 'ws';
import { TransportError } from './transport-error.ts';

/** Code (RFC 6455, section 7.4.1) and reason of each close by the gateway. README.md lists them. */
export const closeReasons = {
  shutdown: { code: 1001, reason: 'the service is shutting down' },
  frameInvalid: { code: 1002, reason: 'a frame violates the WebSocket protocol' },
  textInvalid: { code: 1007, reason: 'a text message is not valid UTF-8' },
  keyInvalid: { code: 1008, reason: 'the API key is revoked or has expired' },
  accountSuspended: { code: 1008, reason: 'the account is suspended' },
  notAllowed: { code: 1008, reason: 'the API key no longer allows this connection or subscription' },
  fragmentsTooMany: { code: 1008, reason: 'the message has too many fragments' },
  messageTooLong: { code: 1009, reason: 'the message is too long' },
  internal: { code: 1011, reason: 'internal error' },
  eventsUnreadable: { code: 1011, reason: 'events cannot be read; continue with cairn_resume' },
  pongMissing: { code: 1011, reason: 'no pong within 30 seconds' },
  eventsUnread: { code: 1013, reason: 'the client reads events too slowly; continue with cairn_resume' },
  answersUnread: { code: 1013, reason: 'the client reads answers too slowly' },
  keyUnchecked: { code: 1013, reason: 'the API key cannot be checked now; retry later' },
} as const satisfies Record<string, { readonly code: number; readonly reason: string }>;

export type CloseReason = keyof typeof closeReasons;

/** Closes a connection with a code and a reason. */
export function closeFor(socket: WebSocket, name: CloseReason): void {
  const { code, reason } = closeReasons[name];
  socket.close(code, reason);
}

/** Selects the close of a connection whose message or event failed. */
export function closeOf(error: unknown): CloseReason {
  if (!(error instanceof TransportError)) return 'internal';
  switch (error.status) {
    case 401:
      return 'keyInvalid';
    case 403:
      return error.rpcCode === rpcErrors.forbidden.code ? 'notAllowed' : 'accountSuspended';
    default:
      return 'keyUnchecked';
  }
}

/** Reasons of the closes by `ws` itself, which has a code only. */
const reasonsOfLibrary: Readonly<Record<number, CloseReason>> = {
  1002: 'frameInvalid',
  1007: 'textInvalid',
  1008: 'fragmentsTooMany',
  1009: 'messageTooLong',
};

/** A connection whose closes for invalid frames have a reason, too. */
export class ReasonedWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    const name = code === undefined ? undefined : reasonsOfLibrary[code];
    super.close(code, reason ?? (name && closeReasons[name].reason));
  }
}
