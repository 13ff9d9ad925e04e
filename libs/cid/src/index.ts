export { blockHashFromCid, cidFromBlockHash, cidFromKeccak256 } from './block-hash.ts';
export { CID, type CidOptions, cidCharactersMax, cidFor, cidInBackground, formatCid, isCid, parseCid } from './cid.ts';
export { type CodecName, codecName, codecs } from './codecs.ts';
export { digestInBackground } from './digest-in-background.ts';
export {
  CorruptBlockError,
  DigestLengthError,
  InvalidCidError,
  InvalidCidOptionError,
  InvalidMultibaseError,
  UnknownMultibaseError,
  UnsupportedHashError,
} from './errors.ts';
export {
  assertHashAllowed,
  digest,
  digestBytesMax,
  digestBytesMin,
  type HashFunction,
  hashes,
  hashFunction,
  identityBytesMax,
  type MultihashDigest,
} from './hashes.ts';
export { isCidAt } from './is-cid-at.ts';
export { keccak256 } from './keccak256.ts';
export {
  decodeMultibase,
  encodeMultibase,
  findMultibase,
  type Multibase,
  multibaseOf,
  multibases,
} from './multibase.ts';
export { ipldCodecs, multicodecName, parseMulticodec } from './multicodecs.ts';
export {
  type BlockVerifier,
  type CodeExchange,
  createRememberingVerifier,
  type RememberingVerifierOptions,
} from './remembering-verifier.ts';
export { verifyBytes, verifyBytesInBackground } from './verify-bytes.ts';
