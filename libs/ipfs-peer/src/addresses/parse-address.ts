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
  const peer = parsePeerId(last.value);
  const transport = whole.decapsulateCode(last.code);
  return { peer, whole, transport: transport.getComponents().length > 0 ? transport : undefined };
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
  try {
    return peerIdFromString(text.slice(0, addressLengthMax));
  } catch {
    throw new PeerApiError('ADDRESS_INVALID', `${JSON.stringify(text.slice(0, 100))} is not a peer ID.`, {
      hint: 'Use the ID that `ipfs id` of the peer prints.',
    });
  }
}

function invalid(text: string, reason: string, hint = 'Use a form such as /ip4/203.0.113.5/tcp/4001/p2p/12D3….') {
  const shown = JSON.stringify(text.slice(0, 200));
  return new PeerApiError('ADDRESS_INVALID', `The multiaddress ${shown} is not valid: ${reason}.`, { hint });
}
