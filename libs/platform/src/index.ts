export {
  allocateBytes,
  base64FromBytes,
  base64UrlFromBytes,
  bytesFromBase64,
  bytesFromHexDigits,
  bytesFromLatin1,
  compareBytes,
  concatBytes,
  copyBytes,
  hexDigitsFromBytes,
  isUtf8,
  latin1FromBytes,
  textFromUtf8,
  utf8FromText,
  utf8Length,
} from '#bytes';
export { nextTurn } from '#turns';
export { runBatch, runningBatch } from './batch.ts';
export { assertBytes, type ByteSource, chunksOfSource, isBytes } from './byte-source.ts';
export { InvalidBytesError } from './errors.ts';
export { countJsonValues } from './json-values.ts';
export { timeLimit } from './time-limit.ts';
