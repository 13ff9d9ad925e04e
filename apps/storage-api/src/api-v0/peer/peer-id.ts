import { CID, findMultibase, formatCid, multicodecName } from '@cairn/cid';
import { base58btc } from 'multiformats/bases/base58';
import * as Digest from 'multiformats/hashes/digest';
import { ApiError } from '../api-error.ts';
import { CidTextError, decodeCid, decodePeerId, libp2pKey } from '../cid/cid-parts.ts';
import { peerLimits } from './limits.ts';

/** A peer ID, read from any of its text forms. */
export interface PeerId {
  /** Multihash in base58btc, the form of the wire. */
  readonly text: string;
  readonly multihash: Uint8Array;
}

/** Ed25519 public key in libp2p's protobuf, behind the header of a multihash `identity` of 36 bytes. */
const inlineKeyPrefix = Buffer.from('002408011220', 'hex');
const multihashHeaderBytes = 2;

/** Parses a peer ID. @throws ApiError 400 in the words of go-libp2p */
export function parsePeerId(text: string): PeerId {
  const { peerIdCharactersMax } = peerLimits;
  if (text.length > peerIdCharactersMax)
    throw new ApiError(400, `failed to parse peer ID: it is longer than ${peerIdCharactersMax} characters`);
  const parts = decodePeerId(text);
  if (parts === undefined) throw new ApiError(400, reasonOf(text));
  return { text: base58btc.baseEncode(parts.multihash), multihash: parts.multihash };
}

function reasonOf(text: string): string {
  if (text.startsWith('Qm') || text.startsWith('1')) return "failed to parse peer ID: input isn't valid multihash";
  try {
    const { codec } = decodeCid(text);
    return `can't convert CID of type ${JSON.stringify(multicodecName(codec) ?? `Code(${codec})`)} to a peer ID`;
  } catch (error) {
    if (error instanceof CidTextError) return `failed to parse peer ID: ${error.message}`;
    throw error;
  }
}

/** Prints a peer ID as the option `peerid-base` requests. @throws ApiError 400 */
export function printPeerId({ text, multihash }: PeerId, base: string): string {
  if (base === 'b58mh' || base === 'v0') return text;
  if (base === '') throw new ApiError(400, 'empty multibase encoding');
  const found = findMultibase(base);
  if (found === undefined) throw new ApiError(400, `unsupported multibase encoding: ${base.slice(0, 64)}`);
  return formatCid(CID.createV1(libp2pKey, Digest.decode(multihash)), found.name);
}

/** Returns the public key that an ID of an Ed25519 key contains, as protobuf in base64; else an empty text. */
export function inlinePublicKey({ multihash }: PeerId): string {
  const bytes = Buffer.from(multihash);
  if (!bytes.subarray(0, inlineKeyPrefix.length).equals(inlineKeyPrefix)) return '';
  return bytes.subarray(multihashHeaderBytes).toString('base64');
}
