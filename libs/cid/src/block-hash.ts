import { bytesFromHexDigits } from '@cairn/platform';
import { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';
import { type CodecName, codecs } from './codecs.ts';
import { InvalidCidError } from './errors.ts';

const keccak256Code = 0x1b;

/**
 * Returns the CID of an Ethereum block: codec `eth-block`, and the keccak-256 hash of its header as multihash.
 * @param hash 32 bytes, or `0x` and 64 hexadecimal digits
 * @throws CID_INVALID
 */
export function cidFromBlockHash(hash: Uint8Array | string): CID {
  return cidFromKeccak256('eth-block', hash);
}

/**
 * Returns the CID of content that Ethereum identifies by keccak-256: headers, lists of headers, trie nodes.
 * @param hash 32 bytes, or `0x` and 64 hexadecimal digits
 * @throws CID_INVALID
 */
export function cidFromKeccak256(codec: CodecName & `eth-${string}`, hash: Uint8Array | string): CID {
  const bytes = typeof hash === 'string' ? bytesFromHex(hash) : hash;
  if (bytes.length !== 32) throw new InvalidCidError(hash, `a block hash has 32 bytes, not ${bytes.length}`);
  return CID.createV1(codecs[codec], Digest.create(keccak256Code, bytes));
}

/** Returns the block hash, 32 bytes, of an `eth-block` CID. @throws CID_INVALID */
export function blockHashFromCid(cid: CID): Uint8Array {
  if (cid.code !== codecs['eth-block'] || cid.multihash.code !== keccak256Code || cid.multihash.size !== 32) {
    throw new InvalidCidError(cid.toString(), 'it does not name an Ethereum block (eth-block, keccak-256)');
  }
  return cid.multihash.digest;
}

function bytesFromHex(text: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new InvalidCidError(text, 'expected 0x and 64 hexadecimal digits');
  return Uint8Array.from(bytesFromHexDigits(text.slice(2)));
}
