import { PeerApiError } from '@cairn/peer-api';
import type { PeerId } from '@libp2p/interface';
import { peerIdFromString } from '@libp2p/peer-id';
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr';

/** Multiaddress that ends with a peer ID. */
export interface PeerAddress {
  readonly peer: PeerId;
  /** Address without the peer ID at its end; undefined where there is only a peer ID. */
  readonly transport: Multiaddr | undefined;
  readonly whole: Multiaddr;
}

/** Longest multiaddress that is parsed. */
const addressLengthMax = 1024;

/** Parses a multiaddress of a peer, such as `/ip4/203.0.113.5/tcp/4001/p2p/12D3…`. @throws ADDRESS_INVALID */
export function parsePeerAddress(text: string): PeerAddress {
  const whole = parseAddress(text);
  const last = whole.getComponents().at(-1);
  if (last?.name !== 'p2p' || last.value === undefined)
    throw invalid(text, 'it has no peer ID', 'End it with /p2p/ and the peer ID.');
  const peer = peerIdIn(last.value);
  if (peer === undefined) throw invalid(text, 'its peer ID does not parse');
  const transport = whole.decapsulateCode(last.code);
  return { peer, whole, transport: transport.getComponents().length > 0 ? transport : undefined };
}

/** Returns what is wrong with a multiaddress; undefined for a good one. */
export function addressProblem(text: string, { needsPeer }: { readonly needsPeer: boolean }): string | undefined {
  try {
    if (needsPeer) parsePeerAddress(text);
    else parseAddress(text);
    return undefined;
  } catch (error) {
    return error instanceof PeerApiError ? [error.message, error.hint].filter(Boolean).join(' ') : String(error);
  }
}

/** @throws ADDRESS_INVALID */
function parseAddress(text: string): Multiaddr {
  if (text.length > addressLengthMax) throw invalid(text, `it is longer than ${addressLengthMax} characters`);
  try {
    return multiaddr(text);
  } catch (cause) {
    throw invalid(text, cause instanceof Error ? cause.message : 'it does not parse');
  }
}

/** @throws ADDRESS_INVALID */
export function parsePeerId(text: string): PeerId {
  const peer = peerIdIn(text.slice(0, addressLengthMax));
  if (peer !== undefined) return peer;
  throw new PeerApiError('ADDRESS_INVALID', `${JSON.stringify(text.slice(0, 100))} is not a peer ID.`, {
    hint: 'Use the ID that `ipfs id` of the peer prints.',
  });
}

function peerIdIn(text: string): PeerId | undefined {
  try {
    return peerIdFromString(text);
  } catch {
    return undefined;
  }
}

function invalid(text: string, reason: string, hint = 'Use a form such as /ip4/203.0.113.5/tcp/4001/p2p/12D3….') {
  const shown = JSON.stringify(text.slice(0, 200));
  return new PeerApiError('ADDRESS_INVALID', `The multiaddress ${shown} is not valid: ${reason}.`, { hint });
}
