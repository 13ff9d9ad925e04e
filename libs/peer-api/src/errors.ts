import { CairnError, isCairnError } from '@cairn/errors';

export type PeerApiErrorCode =
  | 'ADDRESS_FILTERS_FULL'
  | 'ADDRESS_INVALID'
  | 'ADDRESS_REFUSED'
  | 'DIAL_FAILED'
  | 'PEER_NOT_CONNECTED'
  | 'PEER_NOT_FOUND'
  | 'RECORD_INVALID'
  | 'RECORD_NOT_FOUND'
  | 'ROUTING_UNAVAILABLE'
  | 'LISTEN_FAILED'
  | 'PEERING_FULL'
  | 'SWARM_KEY_INVALID'
  /** The process of the peer does not answer. */
  | 'PEER_UNAVAILABLE'
  | 'PEER_REQUEST_INVALID'
  | 'PEER_FETCHES_EXCEEDED'
  /** The process of the peer works on another block store. */
  | 'PEER_CLOSED'
  /** Fault inside the process of the peer. Its log has the reason. */
  | 'PEER_FAULT';

/** Error of the IPFS peer, and of the way to it. */
export class PeerApiError extends CairnError<PeerApiErrorCode> {}

/** Error in the form of the wire. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Converts an error to the form of the wire. A message of an unexpected error could have paths, so it stays here. */
export function wireErrorFrom(error: unknown): WireError {
  if (!isCairnError(error))
    return { code: 'PEER_FAULT', message: 'The IPFS peer failed; its log has the reason under this time.' };
  const { code, message, hint } = error;
  return { code, message: message.slice(0, messageLengthMax), hint };
}

/** Longest message on the wire. Messages may quote addresses that peers announced. */
const messageLengthMax = 1000;

/** Creates the error that the other side reported. */
export function errorFromWire({ code, message, hint }: WireError): CairnError {
  return new CairnError(code, message, { hint });
}
