import { CID, codecs, decodeMultibase, encodeMultibase, findMultibase, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';

/** Multicodec code of public keys: that of CIDs of IPNS names. */
export const libp2pKeyCode = 0x72;

/** Characters of the longest peer ID in base58: an identity multihash of 128 bytes. */
const peerIdCharactersMax = 180;

const routingPrefix = Buffer.from('/ipns/');
const base36 = multibaseNamed('base36');
const base58 = multibaseNamed('base58btc');

/** Parses a CID. Returns undefined if the text is not one. */
export function cidOf(text: string): CID | undefined {
  try {
    return parseCid(text);
  } catch (error) {
    if (!isCairnError(error, 'CID_INVALID')) throw error;
    return undefined;
  }
}

/** Parses a peer ID or CID as an IPNS name: a CIDv1 with the codec libp2p-key. Returns undefined for other texts. */
export function parseIpnsName(text: string): CID | undefined {
  const cid = text.startsWith('1') ? peerIdOf(text) : cidOf(text);
  return cid === undefined ? undefined : CID.createV1(libp2pKeyCode, cid.multihash);
}

function peerIdOf(text: string): CID | undefined {
  if (text.length > peerIdCharactersMax) return undefined;
  try {
    const { bytes } = decodeMultibase(new TextEncoder().encode(`z${text}`));
    return CID.decode(Uint8Array.of(1, codecs.raw, ...bytes));
  } catch {
    return undefined;
  }
}

/** Returns the canonical text of a name: CIDv1 in base36, such as `k51…`. */
export function ipnsNameText({ multihash }: CID): string {
  return textOf(base36, CID.createV1(libp2pKeyCode, multihash).bytes);
}

/** Returns the peer ID of a name: its multihash in base58btc, such as `12D3…`. */
export function peerIdText({ multihash }: CID): string {
  return textOf(base58, multihash.bytes).slice(1);
}

/** Returns the key of a name in the routing system: `/ipns/` and its multihash. */
export function routingKeyOf({ multihash }: CID): Uint8Array {
  return Buffer.concat([routingPrefix, multihash.bytes]);
}

/** Returns the name of a key in the routing system; undefined for a key of another kind. */
export function nameOfRoutingKey(key: Uint8Array): CID | undefined {
  const start = Buffer.from(key.subarray(0, routingPrefix.length));
  if (!start.equals(routingPrefix)) return undefined;
  try {
    return CID.decode(Uint8Array.of(1, libp2pKeyCode, ...key.subarray(routingPrefix.length)));
  } catch {
    return undefined;
  }
}

function textOf(base: ReturnType<typeof multibaseNamed>, bytes: Uint8Array): string {
  return new TextDecoder().decode(encodeMultibase(base, bytes));
}

function multibaseNamed(name: string) {
  const base = findMultibase(name);
  if (base === undefined) throw new Error(`No multibase ${name}.`);
  return base;
}
