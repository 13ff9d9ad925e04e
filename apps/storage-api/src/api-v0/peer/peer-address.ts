import { type Component, multiaddr } from '@multiformats/multiaddr';
import { ApiError } from '../api-error.ts';
import { type PeerId, parsePeerId } from './peer-id.ts';

/** A multiaddress of a peer. */
export interface PeerAddress {
  /** With the peer ID in base58btc at the end. */
  readonly text: string;
  readonly peer: PeerId;
  /** Absent for `/p2p/<peer ID>` alone. */
  readonly transport?: string;
}

const p2pName = 'p2p';

/** Parses a multiaddress that ends with a peer ID. @throws ApiError 400 in Kubo's words */
export function parsePeerAddress(text: string, withoutPeer = `found no ipfs peers at ${text}`): PeerAddress {
  const components = parseComponents(text);
  const last = components.at(-1);
  if (last?.name !== p2pName || last.value === undefined) throw new ApiError(400, withoutPeer);
  const peer = parsePeerOf(text, last.value);
  const transport = textOf(components.slice(0, -1));
  return { text: `${transport}/p2p/${peer.text}`, peer, ...(transport !== '' && { transport }) };
}

/** Removes the peer ID from the end of an address. */
export function withoutPeerId(address: string): string {
  return address.replace(/\/(p2p|ipfs)\/[^/]+$/, '');
}

/** @throws ApiError 400 in the words of go-multiaddr */
function parseComponents(text: string): readonly Component[] {
  const shown = text.replace(/\/+$/, '');
  const failure = (reason: string) =>
    new ApiError(400, `failed to parse multiaddr ${JSON.stringify(shown)}: ${reason}`);
  if (text !== '' && !text.startsWith('/')) throw failure('must begin with /');
  if (shown === '') throw failure('empty multiaddr');
  try {
    return multiaddr(shown).getComponents();
  } catch (error) {
    const { message } = error instanceof Error ? error : { message: 'it cannot be read' };
    const unknown = /^Protocol (.*) was unknown$/.exec(message)?.[1];
    if (unknown !== undefined) throw failure(`unknown protocol ${unknown}`);
    throw failure(/was missing value$/.test(message) ? 'unexpected end of multiaddr' : message);
  }
}

function parsePeerOf(text: string, value: string): PeerId {
  try {
    return parsePeerId(value);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const reason = error.message.replace(/^failed to parse peer ID: /, '');
    const shown = `failed to parse multiaddr ${JSON.stringify(text)}: invalid value ${JSON.stringify(value)}`;
    throw new ApiError(400, `${shown} for protocol p2p: failed to parse p2p addr: ${value} ${reason}`);
  }
}

function textOf(components: readonly Component[]): string {
  return components.map(({ name, value }) => (value === undefined ? `/${name}` : `/${name}/${value}`)).join('');
}
