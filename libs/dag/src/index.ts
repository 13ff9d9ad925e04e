export { type DagCodec, dagCodecs, decodeDag, encodeDag, isDagCodec } from './codecs.ts';
export { InvalidCarError, PathLookupError, UndecodableError, UnencodableError, UnknownCodecError } from './errors.ts';
export { type Followed, followWithin, type WithinBlock } from './follow-within.ts';
export { IpldFloat, type IpldValue } from './ipld-value.ts';
export { type Car, carLimits, type ReadCarOptions, readCar } from './read-car.ts';
export {
  type PathProgress,
  type ResolvedPath,
  type ResolveOptions,
  resolveDagPath,
  resolveToBlock,
  valueAt,
} from './resolve-dag-path.ts';
export {
  blockCodecOf,
  isTranscodable,
  readValue,
  type TranscodableCodec,
  transcodeDag,
  writeValue,
} from './transcode.ts';
export { writeCar } from './write-car.ts';
