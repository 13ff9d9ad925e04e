export { blockHashFromCid, cidFromBlockHash } from './block-hash.ts';
export { CID, type CidOptions, cidCharactersMax, cidFor, formatCid, isCid, parseCid, verifyBytes } from './cid.ts';
export { type CodecName, codecName, codecs } from './codecs.ts';
export { CorruptBlockError, InvalidCidError, UnsupportedHashError } from './errors.ts';
export {
  assertHashAllowed,
  digest,
  digestBytesMin,
  type HashFunction,
  hashes,
  hashFunction,
  identityBytesMax,
  keccak256,
  type MultihashDigest,
} from './hashes.ts';
