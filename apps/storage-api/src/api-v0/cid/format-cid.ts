import { encodeMultibase, hashFunction, type Multibase, multicodecName } from '@cairn/cid';
import { ApiError } from '../api-error.ts';
import { type CidParts, CidTextError, encodeCid } from './cid-parts.ts';

/** Name of a hash function; go-multihash's text where it has none. */
export function hashName(code: number): string | undefined {
  try {
    return hashFunction(code).name;
  } catch {
    return undefined;
  }
}

/** Prints a CID in a multibase. @throws CidTextError for version 0 in another base than base58btc */
export function printCidIn(base: Multibase, parts: CidParts): string {
  if (parts.version === 1) return textIn(base, encodeCid(parts)).toString();
  if (base.name !== 'base58btc') throw new CidTextError('invalid base encoding');
  return textIn(base, parts.multihash).subarray(1).toString();
}

/** Encodes `bytes` in a multibase, with its prefix. */
function textIn(base: Multibase, bytes: Uint8Array): Buffer {
  const text = encodeMultibase(base, bytes);
  return Buffer.from(text.buffer, text.byteOffset, text.length);
}

/**
 * Formats a CID with the tokens of go-cidutil, such as `%s` or `%P`.
 * @throws ApiError 500, as Kubo, for an invalid format; CidTextError for a CID that cannot be printed in this way
 */
export function formatCidParts(format: string, base: Multibase, parts: CidParts): string {
  const pieces: Buffer[] = [];
  const characters = [...format];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character !== '%') {
      pieces.push(Buffer.from(character));
      continue;
    }
    const token = characters[++at];
    if (token === undefined) throw new ApiError(500, 'premature end of format string');
    pieces.push(formatToken(token, base, parts));
  }
  return Buffer.concat(pieces).toString();
}

function formatToken(token: string, base: Multibase, parts: CidParts): Buffer {
  const { version, codec, hash, digest, multihash } = parts;
  const codecText = multicodecName(codec) ?? `Code(${codec})`;
  const hashText = hashName(hash) ?? `hash?${hash}`;
  const encoded = (bytes: Uint8Array) => textIn(base, bytes);
  const texts: Readonly<Record<string, () => string | Buffer>> = {
    '%': () => '%',
    b: () => base.name,
    // One byte, as go-cidutil writes it.
    B: () => Buffer.from([base.code & 0xff]),
    v: () => `cidv${version}`,
    V: () => String(version),
    c: () => codecText,
    C: () => String(codec),
    h: () => hashText,
    H: () => String(hash),
    L: () => String(digest.length),
    m: () => encoded(multihash),
    M: () => encoded(multihash).subarray(1),
    d: () => encoded(digest),
    D: () => encoded(digest).subarray(1),
    s: () => printCidIn(base, parts),
    S: () => encoded(encodeCid(parts)).subarray(1),
    P: () => `cidv${version}-${codecText}-${hashText}-${digest.length}`,
  };
  const text = Object.hasOwn(texts, token) ? texts[token] : undefined;
  if (text === undefined) throw new ApiError(500, `unrecognized specifier in format string: %${token}`);
  const value = text();
  return typeof value === 'string' ? Buffer.from(value) : value;
}
