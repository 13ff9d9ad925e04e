import { decodeHeader, type Header, type Hex } from '@cairn/block-model';
import { VerifyError, withCode } from '../errors.ts';

/** Decodes a header and compares its hash with the trusted one. @throws WITNESS_MALFORMED, BLOCK_UNTRUSTED */
export function trustedHeader(raw: Uint8Array | undefined, blockHash: Hex): Header {
  if (raw === undefined) throw new VerifyError('WITNESS_INCOMPLETE', 'The witness has no header.');
  const header = headerOf(raw);
  requireHash(header, blockHash);
  return header;
}

/** @throws BLOCK_UNTRUSTED */
export function requireHash({ hash }: Header, blockHash: Hex): void {
  if (hash === blockHash.toLowerCase()) return;
  throw new VerifyError('BLOCK_UNTRUSTED', `The header has the hash ${hash}. The trusted hash is ${blockHash}.`, {
    details: { expected: blockHash, actual: hash },
  });
}

/**
 * Decodes headers of which the first has the trusted hash, and each other one is the parent of the one before it.
 * @throws WITNESS_INCOMPLETE, WITNESS_MALFORMED, BLOCK_UNTRUSTED, ANCESTOR_UNLINKED
 */
export function linkedHeaders(raws: readonly Uint8Array[], blockHash: Hex): readonly [Header, ...Header[]] {
  const [first, ...others] = raws;
  const headers: [Header, ...Header[]] = [trustedHeader(first, blockHash)];
  for (const raw of others) {
    const { parentHash } = headers.at(-1) as Header;
    const header = headerOf(raw);
    if (header.hash !== parentHash)
      throw new VerifyError('ANCESTOR_UNLINKED', `The header ${header.hash} is not the expected parent ${parentHash}.`);
    headers.push(header);
  }
  return headers;
}

function headerOf(raw: Uint8Array): Header {
  return withCode('WITNESS_MALFORMED', 'A header of the witness cannot be decoded', () => decodeHeader(raw));
}
