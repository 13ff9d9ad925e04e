import { type CID, findMultibase, formatCid } from '@cairn/cid';
import { parseIpnsName, peerIdText } from '@cairn/ipns';
import { ApiError } from '../api-error.ts';
import { CidTextError, decodeCid } from '../cid/cid-parts.ts';

/** Option of commands that print names: a multibase, or `b58mh` for peer IDs. */
export const ipnsBase = { 'ipns-base': { kind: 'text', default: 'base36' } } as const;

/** Returns a function that prints names in a base. @throws ApiError 500 for an unknown base */
export function nameEncoder(base: string): (name: CID) => string {
  if (base === 'b58mh' || base === 'v0') return peerIdText;
  if (base === '') throw new ApiError(500, 'empty multibase encoding');
  const found = findMultibase(base);
  if (found === undefined) throw new ApiError(500, `unsupported multibase encoding: ${base.slice(0, 64)}`);
  return (name) => formatCid(name, found.name);
}

/** Prints a name in base36, the base of commands that take no other. */
export const printName = (name: CID): string => formatCid(name, 'base36');

/** Characters of a name in a request: an RSA key in the longest base has fewer. */
const nameCharactersMax = 512;

/** Parses a name with or without `/ipns/`. @throws ApiError 500 in the words of go-libp2p */
export function parseName(text: string): CID {
  const id = text.replace(/^\/ipns\//, '');
  if (id.length > nameCharactersMax)
    throw new ApiError(500, `failed to parse peer ID: it is longer than ${nameCharactersMax} characters`);
  if (id.startsWith('Qm') || id.startsWith('1')) {
    const name = parseIpnsName(id);
    if (name === undefined) throw new ApiError(500, "failed to parse peer ID: input isn't valid multihash");
    return name;
  }
  try {
    decodeCid(id);
  } catch (error) {
    if (error instanceof CidTextError) throw new ApiError(500, `failed to parse peer ID: ${error.message}`);
    throw error;
  }
  const name = parseIpnsName(id);
  if (name === undefined) throw new ApiError(500, 'failed to parse peer ID: unsupported hash function');
  return name;
}
