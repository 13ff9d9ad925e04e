import { CID, codecs, decodeMultibase, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';

/** Multicodec code of public keys: that of CIDs of IPNS names. */
export const libp2pKeyCode = 0x72;

/** Characters of the longest peer ID in base58: an identity multihash of 128 bytes. */
const peerIdCharactersMax = 180;

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
